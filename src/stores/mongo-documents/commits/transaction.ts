// Several writes as one transaction, again and again while others get in between.
import { setTimeout as delay } from 'node:timers/promises';
import { type ClientSession, MongoServerError } from 'mongodb';
import { backOff, type Random } from '../../../lib/back-off.ts';
import type { Write } from '../../ports.ts';
import { isTransient, isUnknownCommit } from '../connection/failures.ts';
import type { Scope } from '../connection/types.ts';
import { spaceKey } from '../names.ts';
import { sendParcel } from './command.ts';
import type { Refusal } from './failures.ts';
import { parcelsOf } from './parcels.ts';
import { firstStale } from './versions.ts';

/** Bounds of the pause before the next attempt, in milliseconds. */
const PAUSE = { first: 5, most: 200 };

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
  for (let round = 0; ; round += 1) {
    try {
      return await attempt(scope, session, writes);
    } catch (error) {
      if (session.inTransaction()) await session.abortTransaction().catch(() => undefined);
      if (isRefusedCreation(error) && !created) {
        await createCollections(scope, writes);
        created = true;
      } else if (!isTransient(error)) throw error;
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
  });
  for (const parcel of parcelsOf(writes)) {
    const sending = { session, ...scope.timeLimit() };
    const { failure } = await sendParcel(scope, parcel, sending).catch((error: unknown) => {
      // Too large to be sent: then it stands alone.
      return { failure: { at: 0, error } };
    });
    if (failure === undefined) continue;
    if (isTransient(failure.error) || isRefusedCreation(failure.error)) throw failure.error;
    await session.abortTransaction().catch(() => undefined);
    const at = failure.at ?? (await firstStale(scope, parcel));
    const write = parcel.writes[at] as Write;
    return { error: failure.error, write, index: parcel.first + at };
  }
  await finish(scope, session);
  scope.acknowledged(session);
  return undefined;
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

/** Commits. An answer that got lost is asked for again: committing twice does no harm. */
async function finish(scope: Scope, session: ClientSession): Promise<void> {
  for (;;) {
    try {
      await session.commitTransaction();
      return;
    } catch (error) {
      if (!isUnknownCommit(error)) throw error;
      scope.left();
      await delay(PAUSE.first);
    }
  }
}
