// Reads the documents that a write is for, and commits what was planned for them: again after a conflict.

import { AppError, StoreError } from '../../errors/errors.ts';
import { documentIssueOf } from '../../errors/store-errors.ts';
import type { KeyedMutex } from '../../lib/async/concurrency.ts';
import type { MaybePromise } from '../../lib/async/maybe-promise.ts';
import { jitteredBackOff, retry } from '../../lib/async/retry.ts';
import { mapYielding } from '../../lib/async/yielding.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { documentVersion, parseStoredJson } from '../../lib/json/stored-json.ts';
import { type Filter, filterById } from '../../stores/filter.ts';
import type { DocumentStore, Projection, StoredDocument } from '../../stores/ports.ts';
import type { FilterCompiler } from '../filters/compile.ts';
import type { HookDeps } from '../hooks/hook-session.ts';
import type { Collection } from '../model/collection.ts';
import {
  type DocumentLimits,
  ExtraWriteError,
  type RequestContext,
  type WriteOptions,
} from '../model/documents.ts';
import { type CollectionRegistry, documentKey } from '../model/registry.ts';
import type { HistoryLoader } from '../reads/history-loader.ts';
import { BODY_ORIGIN, indexMember, type WriteOrigin } from '../validation/issue-position.ts';
import type { PatternMatcher } from '../validation/validate-document.ts';
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

/** The document with this id, or all documents that the query matches. */
export type WriteTarget =
  | ({ readonly id: string } & Pick<WriteOptions, 'ifMatch'>)
  | { readonly query: JsonObject };

interface TargetOptions {
  readonly collection: Collection;
  readonly target: WriteTarget;
  /** Fields to read; all unless given. */
  readonly projection?: Projection | undefined;
}

type TargetDeps = Pick<WriteDeps, 'store' | 'filters' | 'limits'>;

/**
 * Resolves with the documents of a target. By id, throws DOCUMENT_NOT_FOUND, or PRECONDITION_FAILED where `ifMatch` rejects
 * the state of the document. By query, throws FILTER_INVALID, or WRITE_TOO_LARGE where too many documents match.
 */
export async function loadTargets(
  deps: TargetDeps,
  { collection, target, projection }: TargetOptions,
  context: RequestContext,
): Promise<readonly StoredDocument[]> {
  if ('query' in target) {
    const filter = await deps.filters.compile(collection, target.query as Json, context);
    return loadMatches(deps, { collection, filter, projection }, context);
  }
  const filter = filterById(target.id);
  const [text] = await findTexts(deps, { collection, filter, limit: 1, projection }, context);
  if (text === undefined) throw new AppError('DOCUMENT_NOT_FOUND');
  const document = parseStoredJson<StoredDocument>(text);
  if (target.ifMatch?.(documentVersion(document)) === false) throw new AppError('PRECONDITION_FAILED');
  return [document];
}

interface Find extends Pick<TargetOptions, 'collection' | 'projection'> {
  readonly filter: Filter;
}

async function loadMatches(
  { store, limits }: TargetDeps,
  { collection, filter, projection }: Find,
  context: RequestContext,
): Promise<readonly StoredDocument[]> {
  const limit = Math.min(limits.writeMatches, context.maxMatches ?? limits.writeMatches);
  const query = { collection, filter, limit: limit + 1, projection };
  const texts = await findTexts({ store }, query, context);
  if (texts.length <= limit) return mapYielding(texts, parseStoredJson<StoredDocument>);
  const matches = await store.count(collection.namespace, filter, { deadline: context.deadline });
  const message = `The query matches ${matches} documents, more than the ${limit} that one write may have`;
  throw new AppError('WRITE_TOO_LARGE', { field: 'query', message });
}

function findTexts(
  { store }: Pick<TargetDeps, 'store'>,
  { collection, filter, limit, projection }: Find & { readonly limit: number },
  { deadline }: RequestContext,
): MaybePromise<readonly string[]> {
  const query = { filter, sort: [], skip: 0, limit, ...(projection && { projection }) };
  return store.findText(collection.namespace, query, { deadline });
}

const MAX_ATTEMPTS = 30;
/** Attempts that follow each other without a pause. */
const IMMEDIATE_ATTEMPTS = 3;
/** Bounds of the random pauses after that, in milliseconds. */
const BACK_OFF = { firstMs: 4, maxMs: 100 };

/**
 * Runs a write of one document after the earlier ones. A write that posted code asks for does not wait: its hook may belong
 * to the write that holds the lock. Should they meet, the later commit is a conflict and retried.
 */
export function withDocumentLock<T>(
  { locks }: Pick<WriteDeps, 'locks'>,
  { collection, id }: { readonly collection: Pick<Collection, 'namespace'>; readonly id: string },
  { callDepth: depth = 0 }: Pick<RequestContext, 'callDepth'>,
  task: () => Promise<T>,
): Promise<T> {
  return depth > 0 ? task() : locks.withLock(documentKey(collection.namespace, id), task);
}

/**
 * Commits the writes of the plan and emits its after-hook events. Throws DOCUMENT_INVALID, PAYLOAD_TOO_LARGE, and an
 * ExtraWriteError where an extra write is rejected; rejects with a StoreError `conflict` where another write came first.
 */
export async function commitPlan(
  { store, hooks }: Pick<WriteDeps, 'store' | 'hooks'>,
  plan: WritePlan,
  context: RequestContext,
): Promise<FinishedPlan> {
  const finished = await plan.finish();
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
