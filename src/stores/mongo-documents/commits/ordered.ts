// Several writes on a server without transactions: one command after the other, taken back when one is refused.
import { type Collection, MongoWriteConcernError } from 'mongodb';
import { StoreError } from '../../../errors.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { Write } from '../../ports.ts';
import { asFailure } from '../connection/failures.ts';
import { repeatedRead } from '../connection/repeat.ts';
import type { Scope } from '../connection/types.ts';
import { spaceKey } from '../names.ts';
import { FOLLOWED, type Outcome, sendParcel } from './command.ts';
import type { Refusal } from './failures.ts';
import { type Images, readImages } from './images.ts';
import { type Parcel, parcelsOf } from './parcels.ts';
import { findProgress, progressAfter } from './progress.ts';
import { writeOne } from './single.ts';
import { type Done, undo } from './undo.ts';
import { firstStale } from './versions.ts';

/** How many removals are on their way at once. */
const AT_ONCE = 16;

interface Journal {
  readonly images: Images;
  /** What is known to be done. */
  readonly done: Done[];
  readonly log: Pick<Logger, 'error'>;
}

/**
 * Applies the writes in exactly their order, all or none: every state that they were computed from is looked at before
 * the first, and what was done is taken back when one is refused. Returns that one. Others may see a part of the writes
 * in the meantime. Rejects with `timeout` at the deadline, with nothing left done.
 * Where the server does not answer any more, the writes up to some point stay: which point is not known, so that taking
 * back could remove what a later one refers to.
 */
export async function writeInOrder(
  limited: Scope,
  writes: readonly Write[],
  log: Pick<Logger, 'error'>,
): Promise<Refusal | undefined> {
  const images = await repeatedRead(limited, () => readImages(limited, writes));
  const scope = timeless(limited, writes);
  const journal: Journal = { images, done: [], log };
  for (const parcel of parcelsOf(writes)) {
    const limit = limitOf(scope);
    if (limit === undefined) return takeBack(scope, journal, undefined);
    const isFollowed = parcel.first + parcel.writes.length < writes.length;
    const outcome = await apply(scope, { parcel, isFollowed, limit }, journal);
    if (outcome === undefined) continue;
    const at = outcome.at ?? (await firstStale(scope, parcel));
    const refusal = { error: outcome.error, write: parcel.writes[at] as Write, index: parcel.first + at };
    return takeBack(scope, journal, refusal);
  }
  // Whoever asked has been told that nothing was written.
  return limitOf(scope) === undefined ? takeBack(scope, journal, undefined) : undefined;
}

/** A scope that still gives the collections of the writes when time is up: then there is something to take back. */
function timeless(scope: Scope, writes: readonly Write[]): Scope {
  const collections = new Map<string, Collection>();
  for (const { ns } of writes) {
    const key = spaceKey(ns);
    if (!collections.has(key)) collections.set(key, scope.collection(ns));
  }
  return { ...scope, collection: (ns) => collections.get(spaceKey(ns)) ?? scope.collection(ns) };
}

/** What bounds a command; undefined when time is up. */
function limitOf(scope: Scope): ReturnType<Scope['timeLimit']> | undefined {
  try {
    return scope.timeLimit();
  } catch {
    return undefined;
  }
}

interface Step {
  readonly parcel: Parcel;
  /** More of the commit comes after it. */
  readonly isFollowed: boolean;
  readonly limit: ReturnType<Scope['timeLimit']>;
}

/** Applies a parcel and notes what of it was done. */
async function apply(scope: Scope, step: Step, { done }: Journal): Promise<Outcome['failure']> {
  const { parcel, isFollowed, limit } = step;
  const { kind, ns, writes } = parcel;
  if (kind === 'remove') return removeEach(scope, step, done);
  const note = (count: number) => done.push({ kind, ns, writes: writes.slice(0, count).filter(isUndone) });
  try {
    const outcome = await sendParcel(scope, parcel, { isFollowed, ...limit });
    note(outcome.done);
    return outcome.failure;
  } catch (error) {
    const progress = progressAfter(error);
    if (progress === 'nothing') return { at: 0, error };
    const count =
      progress === 'unknown' ? undefined : await findProgress(scope, parcel).catch(() => undefined);
    if (count === undefined) throw error;
    note(count);
    return { at: Math.min(count, writes.length - 1), error };
  }
}

const isUndone = (write: Write) => write.kind !== 'insert' || write.stays !== true;

/**
 * One command for each, several at once: no order matters among them, and a command for many would not say which ones
 * somebody else had removed, which must not come back.
 */
async function removeEach(scope: Scope, step: Step, done: Done[]): Promise<Outcome['failure']> {
  const { kind, ns, writes } = step.parcel;
  for (let first = 0; first < writes.length; first += AT_ONCE) {
    const some = writes.slice(first, first + AT_ONCE);
    const isFollowed = step.isFollowed || first + AT_ONCE < writes.length;
    const sending = { ...step.limit, ...(isFollowed && { writeConcern: FOLLOWED }) };
    const results = await Promise.allSettled(some.map((write) => writeOne(scope, write, sending)));
    done.push({ kind, ns, writes: some.filter((_, at) => isRemoved(results[at])) });
    const failures = results.flatMap((result, at) =>
      result.status === 'rejected' ? [{ at: first + at, error: result.reason as unknown }] : [],
    );
    const unknown = failures.find(
      ({ error }) => !(error instanceof StoreError) && progressAfter(error) === 'unknown',
    );
    if (unknown !== undefined) throw unknown.error;
    if (failures[0] !== undefined) return failures[0];
  }
  return undefined;
}

/** One that only waited in vain for the journal is done; of one document nothing else is done by half. */
function isRemoved(result: PromiseSettledResult<void> | undefined): boolean {
  if (result?.status !== 'rejected') return true;
  return result.reason instanceof MongoWriteConcernError;
}

async function takeBack(scope: Scope, { images, done, log }: Journal, refusal: Refusal | undefined) {
  try {
    for (const { ns, ids } of await undo(scope, done, images)) {
      log.error({ ns, ids }, 'somebody has changed what a write that failed had written: it stays');
    }
  } catch (error) {
    const written = done.map(({ ns, writes }) => ({ ns, count: writes.length }));
    log.error({ err: asFailure(error), written }, 'a write that failed could not be taken back');
  }
  if (refusal === undefined) throw new StoreError('timeout');
  return refusal;
}
