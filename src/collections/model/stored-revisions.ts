// How revisions are stored: their namespace, and the blocks of ids in `history`.

import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { Filter } from '../../stores/filter.ts';
import type { IndexDefinition, Namespace } from '../../stores/ports.ts';
import type { Collection } from './collection.ts';

/** The revisions of one document in the order of its states, also when the document itself is gone. */
export const REVISION_INDEX: IndexDefinition = {
  name: 'originalDocumentId_1_v_1',
  keys: [
    { path: 'originalDocumentId', direction: 1, fold: false },
    { path: 'v', direction: 1, fold: false },
  ],
  unique: false,
  sparse: false,
};

/** The name space of a collection's revisions, whether or not it keeps any at present. */
export function revisionNamespaceOf({
  namespace,
  settings,
}: Pick<Collection, 'namespace' | 'settings'>): Namespace {
  return { ...namespace, collection: settings.revisionCollection };
}

/** The revisions of one document. */
export function revisionsFilter(id: string): Filter {
  return { kind: 'field', path: 'originalDocumentId', tests: [{ kind: 'eq', value: id }] };
}

/** The namespace of a collection's revisions; undefined where it keeps none. */
export function activeRevisionNamespace(
  collection: Pick<Collection, 'namespace' | 'settings'>,
): Namespace | undefined {
  return collection.settings.storeRevisions ? revisionNamespaceOf(collection) : undefined;
}

/**
 * A stored document holds the first so many ids in `history`, and behind them the latest. Whenever `v` is a multiple of
 * this number the latest become a block: the revision of that state takes them over into its own `history`, and the
 * document keeps the id of that revision in their place. So a block begins with the id of the revision that has the
 * block before it. `reads/history-loader.ts` follows this chain.
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
