// Answers a committed write with its documents, completed and composed. Nothing that only the answer needs may fail a write that is
// committed.
import { AppError, StoreError } from '../../errors/errors.ts';
import { type MaybePromise, mapYielding } from '../../lib/async/maybe-promise.ts';
import { parseStoredJson } from '../../lib/json/stored-json.ts';
import { MATCH_ALL } from '../../stores/filter.ts';
import type { StoredDocument, Write } from '../../stores/ports.ts';
import { type PermittedStore, withoutHiddenMembers } from '../model/access.ts';
import { type Collection, documentKey } from '../model/collection.ts';
import type { RequestContext } from '../model/documents.ts';
import type { ComposeDepth } from '../model/read-parameters.ts';
import { createReadTest, presentAccess } from './permitted-states.ts';
import type { WriteDeps } from './write-deps.ts';

/** Milliseconds that the database has for the answer, where the request has less time left. */
const MIN_ANSWER_MS = 2000;

type AnswerDeps = Pick<WriteDeps, 'store' | 'registry' | 'histories' | 'composer' | 'now'>;

interface WrittenDocuments {
  readonly collection: Collection;
  /** As stored. */
  readonly texts: readonly string[];
}

interface Answer extends WrittenDocuments {
  /** How deep to compose them. */
  readonly depth: ComposeDepth;
  /** All writes of the commit. */
  readonly writes: readonly Write[];
}

/** The written documents as the caller may read them: without hidden fields, and of one that it may not read its `_id`. */
export function showWritten(
  deps: Pick<WriteDeps, 'registry'>,
  { collection, texts }: WrittenDocuments,
  { caller }: RequestContext,
): MaybePromise<readonly string[]> {
  const access = presentAccess(deps, caller, collection);
  if (access.hidden.size === 0 && access.findable === MATCH_ALL) return texts;
  const mayRead = createReadTest(access);
  return mapYielding(texts, (text) => {
    const document = parseStoredJson<StoredDocument>(text);
    if (!mayRead(document)) return JSON.stringify({ _id: document._id });
    return JSON.stringify(withoutHiddenMembers(document, access));
  });
}

/**
 * The written documents as the answer shows them; neither completed nor composed where the database does not answer in time.
 * References to documents of the same commit are composed from its writes.
 */
export async function formatAnswer(
  deps: AnswerDeps,
  { collection, texts: stored, depth, writes }: Answer,
  context: RequestContext,
): Promise<readonly string[]> {
  const { store, histories, composer, now } = deps;
  const texts = await showWritten(deps, { collection, texts: stored }, context);
  const format = async (later: RequestContext) => {
    const documents = await histories.completeHistories(collection, texts, later);
    if (!depth) return documents;
    const options = { levels: depth, store: writesFirst(store, writes) };
    return composer.compose(collection, documents, later, options);
  };
  return (await tryAfterCommit(format, { context, now })) ?? texts;
}

type TextReader = Pick<PermittedStore, 'findText' | 'findByIds'>;

/**
 * The store, but reads of whole documents by their ids take those of `writes` from there. The composer reads by ids only what the
 * caller may read all of.
 */
function writesFirst({ findText, findByIds }: TextReader, writes: readonly Write[]): TextReader {
  const written = new Map<string, string>();
  for (const write of writes) {
    if (write.kind === 'remove' || write.text === undefined) continue;
    written.set(documentKey(write.ns, write.document._id), write.text);
  }
  return {
    findText,
    async findByIds(namespace, ids, options) {
      const found = new Map<string, string>();
      for (const id of ids) {
        const text = written.get(documentKey(namespace, id));
        if (text !== undefined) found.set(id, text);
      }
      const missing = ids.filter((id) => !found.has(id));
      if (missing.length === 0) return found;
      const stored = await findByIds(namespace, missing, options);
      for (const id of missing) {
        const text = stored.get(id);
        if (text !== undefined) found.set(id, text);
      }
      return found;
    },
  };
}

/** Runs `work` with at least two seconds of time. Undefined where it fails: the write is committed. */
export async function tryAfterCommit<T>(
  work: (context: RequestContext) => Promise<T>,
  { context, now }: { readonly context: RequestContext; readonly now: () => number },
): Promise<T | undefined> {
  const deadline = Math.max(context.deadline, now() + MIN_ANSWER_MS);
  try {
    return await work({ ...context, deadline });
  } catch (error) {
    if (error instanceof StoreError || error instanceof AppError) return undefined;
    throw error;
  }
}
