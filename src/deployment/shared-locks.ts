// Locks that one process of a deployment holds at a time. A lock has no time limit: it holds as long as its process lives.
import { setTimeout } from 'node:timers/promises';
import { isLostRace, isStoreUnavailable, StoreError } from '../errors/errors.ts';
import { retry } from '../lib/async/retry.ts';
import { sha256Hex } from '../lib/sha256.ts';
import { filterById } from '../stores/filter.ts';
import type { DocumentStore, Namespace, StoredDocument, Write } from '../stores/ports.ts';

// Not reachable over HTTP.
const NAMESPACE: Namespace = { database: null, collection: 'cloister.locks' };
const ID_DIGITS = 24;
/** Milliseconds between two attempts to take a lock that another process holds. */
const RETRY_MS = 25;
/** Attempts to give a lock back while the database is away, one a second: others wait for it. */
const MAX_RELEASES = 600;
const RELEASE_RETRY_MS = 1000;

interface SharedLocksDeps {
  readonly store: Pick<DocumentStore, 'find' | 'commit'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Milliseconds to wait for another process. */
  readonly timeoutMs: number;
  /** Id of this process. */
  readonly self: string;
  /** Whether the process of this id may still be at work. */
  readonly isLive: (id: string) => boolean;
  /** Aborted when the server closes. */
  readonly signal: AbortSignal;
}

/** Runs a task while no other process runs one of the same name. */
export type WithSharedLock = <T>(name: string, task: () => Promise<T>) => Promise<T>;

/** Rejects with `busy` where another process holds the lock for longer than the limit, and with other StoreErrors. */
export function createSharedLocks(deps: SharedLocksDeps): WithSharedLock {
  const { store, now, timeoutMs, self, isLive, signal } = deps;
  /** Ids of locks in use here. */
  const held = new Set<string>();

  const read = async (id: string, deadline: number): Promise<StoredDocument | undefined> => {
    const query = { filter: filterById(id), sort: [], skip: 0, limit: 1 } as const;
    return (await store.find(NAMESPACE, query, { deadline }))[0];
  };

  const tryTake = async (id: string, name: string, deadline: number): Promise<boolean> => {
    const stored = await read(id, deadline);
    const holder = stored?.['holder'];
    if (typeof holder === 'string' && holder !== self && isLive(holder)) return false;
    const v = Number(stored?.['v'] ?? 0);
    const document = { _id: id, v: v + 1, holder: self, name };
    const write: Write =
      stored === undefined
        ? { kind: 'insert', ns: NAMESPACE, document }
        : { kind: 'update', ns: NAMESPACE, id, v, document, changed: ['v', 'holder', 'name'] };
    try {
      await store.commit([write], { deadline });
      return true;
    } catch (error) {
      if (isLostRace(error)) return false;
      throw error;
    }
  };

  const take = async (id: string, name: string): Promise<void> => {
    const giveUp = now() + timeoutMs;
    // Each call has time of its own: what runs out otherwise is the database's, not that of whoever holds the lock.
    while (!(await tryTake(id, name, now() + timeoutMs))) {
      if (now() >= giveUp) throw new StoreError('busy');
      await setTimeout(RETRY_MS);
    }
  };

  const tryRelease = async (id: string): Promise<void> => {
    const deadline = now() + timeoutMs;
    const stored = await read(id, deadline);
    if (stored?.['holder'] !== self || held.has(id)) return;
    const write: Write = { kind: 'remove', ns: NAMESPACE, id, v: Number(stored['v']) };
    await store.commit([write], { deadline });
  };

  /** Gives a lock back, at once or when the database is there again. Never rejects. */
  const release = (id: string): Promise<void> =>
    retry(() => tryRelease(id), {
      shouldRetry: (error) => isStoreUnavailable(error) && !signal.aborted,
      maxAttempts: MAX_RELEASES,
      delayMs: () => RELEASE_RETRY_MS,
    }).catch(() => undefined);

  return async (name, task) => {
    const id = sha256Hex(name).slice(0, ID_DIGITS);
    try {
      await take(id, name);
    } catch (error) {
      // It may have been taken all the same.
      if (isStoreUnavailable(error)) void release(id);
      throw error;
    }
    held.add(id);
    try {
      return await task();
    } finally {
      held.delete(id);
      const released = release(id);
      await Promise.race([released, setTimeout(RELEASE_RETRY_MS, undefined, { ref: false })]);
    }
  };
}
