// Several writes as one transaction, again and again while others get in between.
import { setTimeout as delay } from 'node:timers/promises';
import { type ClientSession, MongoServerError } from 'mongodb';
import { backOff, type Random } from '../../../lib/back-off.ts';
import type { Write } from '../../ports.ts';
import { asFailure, isTransient, isUnknownCommit } from '../connection/failures.ts';
import { isPassing } from '../connection/repeat.ts';
import type { Scope } from '../connection/types.ts';
import { spaceKey } from '../names.ts';
import { sendParcel } from './command.ts';
import type { Refusal } from './failures.ts';
import { parcelsOf } from './parcels.ts';
import { firstStale } from './versions.ts';

/** Bounds of the pause before the next attempt, in milliseconds. */
const PAUSE = { first: 5, most: 200 };

/** How often in all what fails is tried, or a commit asked for, where the server does not say that it is worth it. */
const ATTEMPTS = 5;

/**
 * Applies all writes or none; returns the one that was refused, if any. Rejects with `timeout`, or with what the driver
 * throws. Nothing is applied then, unless it was the commit itself that stayed without an answer until the deadline.
 */
export async function writeInTransaction(
  scope: Scope,
  writes: readonly Write[],
  random: Random,
): Promise<Refusal | undefined> {
  const session = scope.session();
  let created = false;
  let failures = 0;
  for (let round = 0; ; round += 1) {
    try {
      return await attempt(scope, session, writes);
    } catch (error) {
      if (session.inTransaction()) await session.abortTransaction().catch(() => undefined);
      if (isRefusedCreation(error) && !created) {
        await createCollections(scope, writes);
        created = true;
      } else if (!isTransient(error)) {
        failures += 1;
        // Nothing is applied before the commit, and what that throws is passed on.
        if (!isPassing(error) || failures === ATTEMPTS) throw error;
      }
    }
    scope.left();
    await delay(backOff(round, PAUSE, random));
    scope.left();
  }
}

async function attempt(scope: Scope, session: ClientSession, writes: readonly Write[]) {
  session.startTransaction({
    readConcern: { level: 'local' },
    writeConcern: { w: 'majority', journal: true },
    ...commitLimit(scope),
  });
  for (const parcel of parcelsOf(writes)) {
    const sending = { session, ...scope.timeLimit() };
    const { failure } = await sendParcel(scope, parcel, sending).catch((error: unknown) => {
      // Too large to be sent: then it stands alone.
      return { failure: { at: 0, error } };
    });
    if (failure === undefined) continue;
    const { error } = failure;
    if (isTransient(error) || isRefusedCreation(error) || isPassing(error)) throw error;
    await session.abortTransaction().catch(() => undefined);
    const at = failure.at ?? (await firstStale(scope, parcel));
    const write = parcel.writes[at] as Write;
    return { error, write, index: parcel.first + at };
  }
  await finish(scope, session);
  scope.acknowledged(session);
  return undefined;
}

/** A commit that waits for members which lag would go on waiting when nobody listens any more. */
function commitLimit(scope: Scope): { readonly maxCommitTimeMS?: number } {
  const left = scope.left();
  return left === undefined ? {} : { maxCommitTimeMS: left };
}

/** A cluster makes no collections in a transaction that writes to several shards: OperationNotSupportedInTransaction. */
function isRefusedCreation(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 263;
}

const NAMESPACE_EXISTS = 48;

async function createCollections(scope: Scope, writes: readonly Write[]): Promise<void> {
  const spaces = new Map(writes.map(({ ns }) => [spaceKey(ns), ns]));
  for (const ns of spaces.values()) {
    const { dbName, collectionName } = scope.collection(ns);
    await scope.client
      .db(dbName)
      .createCollection(collectionName)
      .catch((error: unknown) => {
        if (!(error instanceof MongoServerError && error.code === NAMESPACE_EXISTS)) throw error;
      });
  }
}

/**
 * Commits. An answer that got lost, or says nothing of what became of the commit, is asked for again: committing twice
 * does no harm. Throws what the driver throws only where nothing is applied, and a StoreError where nobody knows.
 */
async function finish(scope: Scope, session: ClientSession): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await session.commitTransaction();
      return;
    } catch (error) {
      if (isTransient(error)) throw error;
      if (!isUnknownCommit(error) && (!isPassing(error) || attempt >= ATTEMPTS)) throw asFailure(error);
    }
    scope.left();
    await delay(PAUSE.first);
  }
}
