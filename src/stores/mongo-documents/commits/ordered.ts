// Several writes on a server without transactions: one command after the other, taken back when one is refused.
import { type Collection, MongoServerError } from 'mongodb';
import { StoreError } from '../../../errors.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { Write } from '../../ports.ts';
import { asFailure } from '../connection/failures.ts';
import type { Scope } from '../connection/types.ts';
import { spaceKey } from '../names.ts';
import { FOLLOWED, type Outcome, sendParcel } from './command.ts';
import type { Refusal } from './failures.ts';
import { type Images, readImages } from './images.ts';
import { type Parcel, parcelsOf } from './parcels.ts';
import { writeOne } from './single.ts';
import { type Done, undo } from './undo.ts';
import { firstStale } from './versions.ts';

/** How many removals are on their way at once. */
const AT_ONCE = 16;

/** Codes of a server that stops in the middle of a command and does not say where. */
const CUT_OFF: ReadonlySet<unknown> = new Set([50, 64, 91, 189, 262, 279, 10107, 11600, 11601, 11602]);

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
  const images = await readImages(limited, writes);
  const scope = timeless(limited, writes);
  const journal: Journal = { images, done: [], log };
  for (const parcel of parcelsOf(writes)) {
    if (isLate(scope)) return takeBack(scope, journal, undefined);
    const isFollowed = parcel.first + parcel.writes.length < writes.length;
    const outcome = await apply(scope, { parcel, isFollowed }, journal);
    if (outcome === undefined) continue;
    const at = outcome.at ?? (await firstStale(scope, parcel));
    const refusal = { error: outcome.error, write: parcel.writes[at] as Write, index: parcel.first + at };
    return takeBack(scope, journal, refusal);
  }
  // Whoever asked has been told that nothing was written.
  return isLate(scope) ? takeBack(scope, journal, undefined) : undefined;
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

function isLate(scope: Scope): boolean {
  try {
    scope.left();
    return false;
  } catch {
    return true;
  }
}

interface Step {
  readonly parcel: Parcel;
  /** More of the commit comes after it. */
  readonly isFollowed: boolean;
}

/** Applies a parcel and notes what of it was done. */
async function apply(scope: Scope, step: Step, { done }: Journal): Promise<Outcome['failure']> {
  const { parcel, isFollowed } = step;
  const { kind, ns, writes } = parcel;
  if (kind === 'remove') return removeEach(scope, step, done);
  try {
    const outcome = await sendParcel(scope, parcel, { isFollowed });
    done.push({ kind, ns, writes: writes.slice(0, outcome.done).filter(isUndone) });
    return outcome.failure;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { at: 0, error };
  }
}

const isUndone = (write: Write) => write.kind !== 'insert' || write.stays !== true;

/** True where the server, or the driver, refused the command as a whole. */
function isRefusal(error: unknown): boolean {
  if (error instanceof MongoServerError) return !CUT_OFF.has(error.code);
  return error instanceof RangeError;
}

/**
 * One command for each, several at once: no order matters among them, and a command for many would not say which ones
 * somebody else had removed, which must not come back.
 */
async function removeEach(scope: Scope, step: Step, done: Done[]): Promise<Outcome['failure']> {
  const { kind, ns, writes } = step.parcel;
  for (let first = 0; first < writes.length; first += AT_ONCE) {
    const some = writes.slice(first, first + AT_ONCE);
    const isFollowed = step.isFollowed || first + AT_ONCE < writes.length;
    const sending = isFollowed ? { writeConcern: FOLLOWED } : {};
    const results = await Promise.allSettled(some.map((write) => writeOne(scope, write, sending)));
    done.push({ kind, ns, writes: some.filter((_, at) => results[at]?.status === 'fulfilled') });
    const failures = results.flatMap((result, at) =>
      result.status === 'rejected' ? [{ at: first + at, error: result.reason as unknown }] : [],
    );
    const unknown = failures.find(({ error }) => !(error instanceof StoreError) && !isRefusal(error));
    if (unknown !== undefined) throw unknown.error;
    if (failures[0] !== undefined) return failures[0];
  }
  return undefined;
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
