// Response to a write. The write is committed already, so nothing that only the response needs may fail it.
import { AppError, StoreError } from '../../errors/errors.ts';
import type { Depth } from '../../lib/depth.ts';
import { type Filter, filterByIds } from '../../stores/filter.ts';
import type { DocumentStore, Write } from '../../stores/ports.ts';
import type { Collection } from '../model/collection.ts';
import type { RequestContext } from '../model/documents.ts';
import { documentKey } from '../model/registry.ts';
import { createComposer } from '../reads/compose.ts';
import type { WriteDeps } from './commit.ts';

/** Milliseconds that the database has for the response, where the request has less time left. */
const MIN_ANSWER_MS = 2000;

type AnswerDeps = Pick<WriteDeps, 'store' | 'histories' | 'registry' | 'limits' | 'now'>;
type TextReader = Pick<DocumentStore, 'findText'>;

interface Answer {
  readonly collection: Collection;
  /** The written documents as stored. */
  readonly texts: readonly string[];
  /** How deep to compose them. */
  readonly depth: Depth;
  /** All writes of the commit. */
  readonly writes: readonly Write[];
}

/**
 * The written documents as the response shows them, or as stored where the database does not answer in time. References to
 * documents of the same commit are composed from its writes.
 */
export async function formatAnswer(
  { store, histories, registry, limits, now }: AnswerDeps,
  { collection, texts, depth, writes }: Answer,
  context: RequestContext,
): Promise<readonly string[]> {
  const format = async (later: RequestContext) => {
    const documents = await histories.completeHistories(collection, texts, later);
    if (!depth) return documents;
    const composer = createComposer({ store: writesFirst(store, writes), histories, registry, limits });
    return composer.compose(collection, documents, later, depth);
  };
  return (await withAnswerDeadline(format, { context, now })) ?? texts;
}

/** The store, but reads of whole documents by their ids take those of `writes` from there. */
function writesFirst({ findText }: TextReader, writes: readonly Write[]): TextReader {
  const written = new Map<string, string>();
  for (const write of writes) {
    if (write.kind === 'remove' || write.text === undefined) continue;
    written.set(documentKey(write.ns, write.document._id), write.text);
  }
  return {
    async findText(namespace, query, options) {
      const ids = query.projection === undefined ? idsOf(query.filter) : [];
      const found = ids.flatMap((id) => written.get(documentKey(namespace, id)) ?? []);
      if (found.length === 0) return findText(namespace, query, options);
      if (found.length === ids.length) return found;
      const missing = ids.filter((id) => !written.has(documentKey(namespace, id)));
      const stored = await findText(namespace, { ...query, filter: filterByIds(missing) }, options);
      return [...found, ...stored];
    },
  };
}

/** The ids that a filter asks for, where that is all it does. */
function idsOf(filter: Filter): readonly string[] {
  const test = filter.kind === 'field' && filter.path === '_id' ? filter.tests[0] : undefined;
  if (test?.kind !== 'in' || (filter.kind === 'field' && filter.tests.length > 1)) return [];
  return test.values.every((value) => typeof value === 'string') ? test.values : [];
}

/**
 * Runs `work` with at least two seconds of time. Resolves with undefined when the database does not answer, or not in time.
 */
export async function withAnswerDeadline<T>(
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
