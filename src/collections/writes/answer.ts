// Answers a committed write with its documents, completed and composed. Nothing that only the answer needs may fail a write that is
// committed.
import { AppError, StoreError } from '../../errors/errors.ts';
import type { Write } from '../../stores/ports.ts';
import type { PermittedStore } from '../model/access.ts';
import { type Collection, documentKey } from '../model/collection.ts';
import type { RequestContext } from '../model/documents.ts';
import type { ComposeDepth } from '../model/read-parameters.ts';
import type { WriteDeps } from './write-deps.ts';

/** Milliseconds that the database has for the answer, where the request has less time left. */
const MIN_ANSWER_MS = 2000;

type AnswerDeps = Pick<WriteDeps, 'store' | 'histories' | 'composer' | 'now'>;

interface Answer {
  readonly collection: Collection;
  /** The written documents as stored. */
  readonly texts: readonly string[];
  /** How deep to compose them. */
  readonly depth: ComposeDepth;
  /** All writes of the commit. */
  readonly writes: readonly Write[];
}

/**
 * The written documents as the answer shows them, or as stored where the database does not answer in time. References to
 * documents of the same commit are composed from its writes.
 */
export async function formatAnswer(
  { store, histories, composer, now }: AnswerDeps,
  { collection, texts, depth, writes }: Answer,
  context: RequestContext,
): Promise<readonly string[]> {
  const format = async (later: RequestContext) => {
    const documents = await histories.completeHistories(collection, texts, later);
    if (!depth) return documents;
    const options = { levels: depth, store: writesFirst(store, writes) };
    return composer.compose(collection, documents, later, options);
  };
  return (await tryAfterCommit(format, { context, now })) ?? texts;
}

type TextReader = Pick<PermittedStore, 'findText' | 'findByIds'>;

/** The store, but reads of whole documents by their ids take those of `writes` from there. */
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
