// Commits what was planned, again after a conflict that is not of the write's own hooks, by the specifications that are in force then;
// and translates what the store rejects into an error for the client.
import {
  AppError,
  documentIssueOf,
  type ErrorItem,
  explainTimeout,
  StoreError,
} from '../../errors/errors.ts';
import { jitteredBackOff, retry } from '../../lib/async/retry.ts';
import { documentVersion, parseStoredJson } from '../../lib/json/stored-json.ts';
import type { StoredDocument, Write } from '../../stores/ports.ts';
import { isHiddenPath } from '../model/access.ts';
import { type Collection, type CollectionRegistry, documentKey } from '../model/collection.ts';
import { type Caller, ExtraWriteError, type RequestContext } from '../model/documents.ts';
import { assertPermittedWrites } from './permitted-states.ts';
import { type BodyPosition, indexMember, type PlannedWrite, WHOLE_BODY } from './planned-write.ts';
import type { WriteDeps } from './write-deps.ts';
import type { FinishedPlan, WritePlan } from './write-plan.ts';

const MAX_ATTEMPTS = 30;
/** Where hooks run in each attempt: they may have effects that nobody can take back. */
const MAX_HOOKED_ATTEMPTS = 10;
/** Attempts that follow each other without a pause. */
const IMMEDIATE_ATTEMPTS = 3;
/** Bounds of the random pauses after that, in milliseconds. */
const BACK_OFF = { firstMs: 4, maxMs: 100 };

const HOOKED_MESSAGE =
  'The documents were written by others whenever the hooks of this write had run. A hook may write them through `Model` only';

/** Attempts in a row that failed after a hook had sent a write to the collection by `fetch`. */
const MAX_FETCHED_ATTEMPTS = 2;
const FETCHED_MESSAGE =
  'writes documents of the write that it runs for by `fetch`, as somebody else would: let it use `Model`';

/** What a client is told of a write that ran out of time, where the store does not know more. */
const UNCONFIRMED =
  'The database did not confirm the write within `limits.queryMs`. It may have been written, or may be yet: read it before you send it again';

interface RetryOptions {
  readonly context: Pick<RequestContext, 'deadline' | 'hookWrites'>;
  /** Whose documents are written, where hooks of them run in each attempt. */
  readonly hooked?: Collection | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Hooks run in each attempt. */
  readonly isHooked?: boolean;
}

/**
 * Runs an attempt, which reads and commits what it computed from that, again after a conflict: up to 30 times, or 10
 * where hooks run in it, and not after the deadline. Throws STORE_BUSY then; HOOK_FAILED where a hook brings the conflicts about.
 */
export function commitWithRetry<T>(
  attempt: () => Promise<T>,
  { context, now, hooked, isHooked = false }: RetryOptions,
): Promise<T> {
  let fetchedAttempts = 0;
  const maxAttempts = isHooked ? MAX_HOOKED_ATTEMPTS : MAX_ATTEMPTS;
  return retry(attempt, {
    delayMs: retryDelayMs,
    shouldRetry(error, attempts) {
      if (!isConflict(error)) return false;
      const sender = hooked && context.hookWrites?.takeSender(hooked);
      fetchedAttempts = sender === undefined ? 0 : fetchedAttempts + 1;
      if (sender !== undefined && fetchedAttempts >= MAX_FETCHED_ATTEMPTS) {
        throw createHookError(sender, FETCHED_MESSAGE, error);
      }
      if (attempts < maxAttempts && now() <= context.deadline) return true;
      const message = isHooked ? HOOKED_MESSAGE : 'Too many others are writing the same documents';
      throw new AppError('STORE_BUSY', { message, retryAfter: 1, cause: error });
    },
  });
}

function createHookError(hookName: string, why: string, cause: unknown): AppError {
  const details = `${hookName} - ${why}`;
  const item = { code: 'API-0002', title: 'Hook Error', details, message: details, hookName };
  return new AppError('HOOK_FAILED', { items: [item], cause });
}

const retryDelayMs = (attempt: number) =>
  attempt < IMMEDIATE_ATTEMPTS ? 0 : jitteredBackOff(attempt - IMMEDIATE_ATTEMPTS + 1, BACK_OFF);

/** The caller computed its extra writes itself: a conflict about one of them is not retried here. */
const isConflict = (error: unknown): error is StoreError =>
  error instanceof StoreError && error.reason === 'conflict' && !(error instanceof ExtraWriteError);

/**
 * Commits the writes of the plan, as far as the access rules allow all of them, and emits its after-hook events. Throws
 * NOT_PERMITTED, DOCUMENT_NOT_FOUND, DOCUMENT_INVALID, PAYLOAD_TOO_LARGE, and an ExtraWriteError where an extra write is rejected; rejects with a StoreError `conflict` where another write came first.
 */
export async function commitPlan(
  deps: Pick<WriteDeps, 'store' | 'hooks' | 'registry'>,
  plan: WritePlan,
  context: RequestContext,
): Promise<FinishedPlan> {
  const { store, hooks } = deps;
  const { caller } = context;
  // Hooks of sub-documents have run since the documents were read.
  if (context.hookWrites !== undefined) {
    await plan.refreshTargets(async (collection, stored) => {
      const { documents, removed } = await followHookWrites({ store }, collection, stored, context);
      if (removed > 0) throw new StoreError('conflict');
      return documents;
    });
  }
  const finished = await plan.finish();
  await assertPermittedWrites(deps, finished.planned, caller);
  assertCurrent(deps.registry, finished.planned);
  try {
    await store.commit(finished.writes, { deadline: context.deadline });
  } catch (error) {
    throw translateCommitError(error, finished.planned, caller);
  }
  reportToHooks(finished.writes, context);
  if (finished.afterHookEvents.length > 0) hooks.runAfterHooks(finished.afterHookEvents, context);
  return finished;
}

/** A specification that a write was validated by is not in force any more. Nothing was written. */
export class SpecificationChangedError extends Error {
  override readonly name = 'SpecificationChangedError';
}

/** Throws a SpecificationChangedError unless these specifications are in force. Call it at once before the commit. */
function assertCurrent(
  registry: Pick<CollectionRegistry, 'get'>,
  planned: readonly { readonly collections: readonly Collection[] }[],
): void {
  let checked: Collection | undefined;
  for (const { collections } of planned) {
    for (const collection of collections) {
      // Most commits write to one collection.
      if (collection === checked) continue;
      const { version, database, name } = collection;
      if (registry.get(version, database, name) !== collection) throw new SpecificationChangedError();
      checked = collection;
    }
  }
}

/** Tells the hooks that made this request what it has committed. */
function reportToHooks(writes: readonly Write[], { reportsTo }: RequestContext): void {
  if (reportsTo === undefined) return;
  for (const write of writes) {
    if (write.kind === 'remove') reportsTo.addRemoval(documentKey(write.ns, write.id));
    else reportsTo.addState(documentKey(write.ns, write.document._id), documentVersion(write.document));
  }
}

interface Followed {
  readonly documents: readonly StoredDocument[];
  /** How many of them hooks of the request have removed. */
  readonly removed: number;
}

/**
 * The documents as the hooks of the request have left them, read again where they wrote any: taken for the write of somebody else,
 * a write of theirs would run the hooks again, which would write again. Rejects with a StoreError `conflict` where somebody else
 * wrote too, whose state the hooks have not seen.
 */
export async function followHookWrites(
  { store }: { readonly store: Pick<WriteDeps['store'], 'findByIds'> },
  { namespace }: Pick<Collection, 'namespace'>,
  documents: readonly StoredDocument[],
  { hookWrites, deadline }: RequestContext,
): Promise<Followed> {
  const keyOf = ({ _id }: StoredDocument) => documentKey(namespace, _id);
  const written = documents.filter((document) => hookWrites?.hasWritten(keyOf(document)));
  if (hookWrites === undefined || written.length === 0) return { documents, removed: 0 };
  const ids = written.map(({ _id }) => _id);
  const texts = await store.findByIds(namespace, ids, { deadline });
  const states = new Map<string, StoredDocument | undefined>();
  for (const document of written) {
    const text = texts.get(document._id);
    const state = text === undefined ? undefined : parseStoredJson<StoredDocument>(text);
    const isOwn =
      state === undefined
        ? hookWrites.hasRemoved(keyOf(document))
        : hookWrites.madeAllAfter(keyOf(document), documentVersion(document), documentVersion(state));
    if (!isOwn) throw new StoreError('conflict');
    states.set(document._id, state);
  }
  const left = documents.flatMap((document) => {
    const state = states.has(document._id) ? states.get(document._id) : document;
    return state === undefined ? [] : [state];
  });
  return { documents: left, removed: documents.length - left.length };
}

type RejectedWrite = Pick<PlannedWrite, 'position' | 'collections'>;

/**
 * Translates the rejection of a document by the store into an error for the caller. `planned` runs beside the writes of
 * the commit. Other errors are returned as they are.
 */
export function translateCommitError(
  error: unknown,
  planned: readonly RejectedWrite[],
  caller: Pick<Caller, 'access'>,
): unknown {
  if (!(error instanceof StoreError)) return error;
  const { position, collections } = planned[error.index ?? -1] ?? { position: WHOLE_BODY, collections: [] };
  if (position.extraWrite !== undefined) return new ExtraWriteError(error, position.extraWrite);
  if (error.reason === 'timeout') return explainTimeout(error, UNCONFIRMED);
  if (error.reason === 'too-large') return new AppError('PAYLOAD_TOO_LARGE', { cause: error });
  const isHidden = (path: string) =>
    collections.some((collection) => isHiddenPath(caller.access(collection), path));
  const items = issuesOf(error, position, isHidden);
  return items === undefined ? error : new AppError('DOCUMENT_INVALID', { items, cause: error });
}

/**
 * What the store rejects of the document, field by field where it names fields; undefined where the document is not why. Of fields
 * that the caller may not read it says no more than that there is something.
 */
function issuesOf(
  { reason, fields: named, explanation }: StoreError,
  position: BodyPosition,
  isHidden: (path: string) => boolean,
): readonly ErrorItem[] | undefined {
  const issue = documentIssueOf(reason);
  if (issue === undefined) return undefined;
  const positioned = { ...issue, ...indexMember(position) };
  const fields = named.filter((path) => !isHidden(path));
  if (fields.length < named.length && fields.length === 0) {
    const place = position.prefix === '' ? {} : { field: position.prefix.slice(0, -1) };
    return [{ ...place, ...positioned }];
  }
  if (fields.length > 0) {
    const message = (fields.length === named.length && explanation) || issue.message;
    return fields.map((field) => ({ field: `${position.prefix}${field}`, ...positioned, message }));
  }
  if (reason !== 'refused') return undefined;
  const message = explanation ?? 'The database takes no such write to this collection';
  return [{ ...positioned, message }];
}
