// Commits what was planned, again after a conflict, and answers with what was written. Nothing that only the answer needs may
// fail a write that is committed.

import { AppError, documentIssueOf, StoreError } from '../../errors/errors.ts';
import type { KeyedMutex } from '../../lib/async/concurrency.ts';
import { andThen, type MaybePromise } from '../../lib/async/maybe-promise.ts';
import { jitteredBackOff, retry } from '../../lib/async/retry.ts';
import type { DocumentStore, Write } from '../../stores/ports.ts';
import type { FilterCompiler } from '../filters/compile.ts';
import type { HookDeps } from '../hooks/document-hooks.ts';
import { type Collection, type CollectionRegistry, documentKey } from '../model/collection.ts';
import { type DocumentLimits, ExtraWriteError, type RequestContext } from '../model/documents.ts';
import type { ComposeDepth } from '../model/read-parameters.ts';
import { createComposer } from '../reads/compose.ts';
import type { HistoryLoader } from '../reads/history-loader.ts';
import {
  BODY_ORIGIN,
  indexMember,
  type PatternMatcher,
  type WriteOrigin,
} from '../validation/validate-document.ts';
import type { FileRemovals } from './file-removals/file-removals.ts';
import type { FinishedPlan, WritePlan } from './write-plan.ts';

/** Dependencies of creates, updates and removals. */
export interface WriteDeps extends HookDeps {
  readonly store: Pick<DocumentStore, 'findText' | 'findByIds' | 'count' | 'commit'>;
  readonly registry: Pick<CollectionRegistry, 'get' | 'isRevisionCollection' | 'holdsRecords'>;
  readonly filters: Pick<FilterCompiler, 'compile'>;
  readonly histories: HistoryLoader;
  readonly matchPattern: PatternMatcher;
  readonly limits: Pick<DocumentLimits, 'batch' | 'composeDepth' | 'composeReferences' | 'writeMatches'>;
  /** Must grow with every call. */
  readonly generateId: () => string;
  /** Writes of one document run one after the other, so that they need no retry. */
  readonly locks: KeyedMutex;
  /** Removes the files of media records. Undefined: the files stay. */
  readonly removals: Pick<FileRemovals, 'createEntries' | 'removeNow'> | undefined;
  readonly log: { warn(fields: object, message: string): void };
}

const MAX_ATTEMPTS = 30;
/** Attempts that follow each other without a pause. */
const IMMEDIATE_ATTEMPTS = 3;
/** Bounds of the random pauses after that, in milliseconds. */
const BACK_OFF = { firstMs: 4, maxMs: 100 };

/**
 * Commits the writes of the plan and emits its after-hook events. Throws DOCUMENT_INVALID, PAYLOAD_TOO_LARGE, and an
 * ExtraWriteError where an extra write is rejected; rejects with a StoreError `conflict` where another write came first.
 */
export function commitPlan(
  deps: Pick<WriteDeps, 'store' | 'hooks'>,
  plan: WritePlan,
  context: RequestContext,
): MaybePromise<FinishedPlan> {
  return andThen(plan.finish(), (finished) => commitFinished(deps, finished, context));
}

async function commitFinished(
  { store, hooks }: Pick<WriteDeps, 'store' | 'hooks'>,
  finished: FinishedPlan,
  context: RequestContext,
): Promise<FinishedPlan> {
  try {
    await store.commit(finished.writes, { deadline: context.deadline });
  } catch (error) {
    throw translateCommitError(error, finished.origins);
  }
  if (finished.afterHookEvents.length > 0) hooks.runAfterHooks(finished.afterHookEvents, context);
  return finished;
}

/**
 * Translates the rejection of a document by the store into an error for the client. `origins` runs beside the writes of
 * the commit. Other errors are returned as they are.
 */
export function translateCommitError(error: unknown, origins: readonly WriteOrigin[]): unknown {
  if (!(error instanceof StoreError)) return error;
  const origin = origins[error.index ?? -1] ?? BODY_ORIGIN;
  if (origin.extraWrite !== undefined) return new ExtraWriteError(error, origin.extraWrite);
  if (error.reason === 'too-large') return new AppError('PAYLOAD_TOO_LARGE', { cause: error });
  const issue = documentIssueOf(error.reason);
  if (issue === undefined || (error.fields.length === 0 && error.reason !== 'refused')) return error;
  const positioned = { ...issue, ...indexMember(origin) };
  const items =
    error.fields.length === 0
      ? [
          {
            ...positioned,
            message: error.explanation ?? 'The database takes no such write to this collection',
          },
        ]
      : error.fields.map((field) => ({ field: `${origin.prefix}${field}`, ...positioned }));
  return new AppError('DOCUMENT_INVALID', { items, cause: error });
}

/** The caller computed its extra writes itself: a conflict about one of them is not retried here. */
const isConflict = (error: unknown): error is StoreError =>
  error instanceof StoreError && error.reason === 'conflict' && !(error instanceof ExtraWriteError);

const retryDelayMs = (attempt: number) =>
  attempt < IMMEDIATE_ATTEMPTS ? 0 : jitteredBackOff(attempt - IMMEDIATE_ATTEMPTS + 1, BACK_OFF);

/**
 * Runs an attempt, which reads and commits what it computed from that, again after a conflict: up to 30 times and not after
 * the deadline. Throws STORE_BUSY then.
 */
export function commitWithRetry<T>(
  attempt: () => Promise<T>,
  { context, now }: { readonly context: Pick<RequestContext, 'deadline'>; readonly now: () => number },
): Promise<T> {
  return retry(attempt, {
    delayMs: retryDelayMs,
    shouldRetry(error, attempts) {
      if (!isConflict(error)) return false;
      if (attempts < MAX_ATTEMPTS && now() <= context.deadline) return true;
      const message = 'Too many others are writing the same documents';
      throw new AppError('STORE_BUSY', { message, retryAfter: 1, cause: error });
    },
  });
}

/** Milliseconds that the database has for the response, where the request has less time left. */
const MIN_ANSWER_MS = 2000;

type AnswerDeps = Pick<WriteDeps, 'store' | 'histories' | 'registry' | 'limits' | 'now'>;
type TextReader = Pick<DocumentStore, 'findText' | 'findByIds'>;

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
