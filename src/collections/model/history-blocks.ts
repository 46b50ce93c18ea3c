// How the ids of a document's revisions are stored, so that one more of them takes the same room whatever came before.
import type { Json, JsonObject } from '../../lib/json/json.ts';

/**
 * A stored document holds the first so many ids in `history`, and behind them the latest. Whenever `v` is a multiple of
 * this number the latest become a block: the revision of that state takes them over into its own `history`, and the
 * document keeps the id of that revision in their place. So a block begins with the id of the revision that has the
 * block before it. `reads/histories.ts` follows this chain.
 */
export const HISTORY_BLOCK_SIZE = 100;

/** The ids of revisions that a stored document holds itself, oldest first. */
export function revisionIds(document: JsonObject): readonly Json[] {
  const history = document['history'];
  return Array.isArray(history) ? history : [];
}

/** What the document keeps of its `history` in state `v`, and the block that the revision of that state takes over. */
export function splitHistory(
  history: readonly Json[],
  v: number,
): { readonly kept: readonly Json[]; readonly block: readonly Json[] | undefined } {
  if (v % HISTORY_BLOCK_SIZE !== 0 || history.length <= HISTORY_BLOCK_SIZE)
    return { kept: history, block: undefined };
  return { kept: history.slice(0, HISTORY_BLOCK_SIZE), block: history.slice(HISTORY_BLOCK_SIZE) };
}

/**
 * The block that a revision has. Undefined where it has none: in older data each revision lists all ids before it,
 * from the document's first on.
 */
export function revisionBlock(revision: JsonObject, first: Json | undefined): readonly Json[] | undefined {
  const ids = revisionIds(revision);
  return ids.length === 0 || ids[0] === first ? undefined : ids;
}
