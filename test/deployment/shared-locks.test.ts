// Locks that one process of a deployment holds at a time, also where it dies with one in its hands or the database goes away.
import { describe, expect, it } from 'vitest';
import { createSharedLocks, type WithSharedLock } from '../../src/deployment/shared-locks.ts';
import { StoreError } from '../../src/errors/errors.ts';
import { MATCH_ALL } from '../../src/stores/filter.ts';
import type { DocumentStore } from '../../src/stores/ports.ts';
import { type FailingStore, failingStore, openTemporaryStore } from '../helpers/store/temporary-store.ts';
import { FIRST, openDatabase, SECOND } from './members.ts';

const LOCKS = { database: null, collection: 'cloister.locks' };
const EVERY = { filter: MATCH_ALL, sort: [], skip: 0, limit: 1000 };

interface Opened {
  readonly store: DocumentStore;
  readonly connection: FailingStore;
  readonly closing: AbortController;
  /** The process of this id, over the same database. */
  lockOf(self: string, options?: { readonly timeoutMs?: number }): WithSharedLock;
  /** Ids of processes that are gone. */
  readonly gone: Set<string>;
  holders(): Promise<readonly unknown[]>;
}

async function openLocks(): Promise<Opened> {
  const { store } = await openTemporaryStore();
  const connection = failingStore(store);
  const closing = new AbortController();
  const gone = new Set<string>();
  return {
    store,
    connection,
    closing,
    gone,
    lockOf: (self, { timeoutMs = 60_000 } = {}) =>
      createSharedLocks({
        store: connection,
        now: Date.now,
        timeoutMs,
        self,
        signal: closing.signal,
        isLive: (id) => !gone.has(id),
      }),
    async holders() {
      return (await store.find(LOCKS, EVERY, {})).map(({ holder }) => holder);
    },
  };
}

/** A task that is under way until it is told to end. */
function openTask() {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const run = async () => {
    begun.resolve();
    await end.promise;
    return 'done';
  };
  return { run, begun: begun.promise, end: () => end.resolve() };
}

describe('a lock', () => {
  it('lets one process at a time run a task of its name', async () => {
    const { lockOf, holders } = await openLocks();
    const seen: (readonly unknown[])[] = [];
    await Promise.all(
      [FIRST, SECOND].map(async (self) => {
        const withLock = lockOf(self);
        for (let turn = 0; turn < 4; turn += 1) {
          await withLock('name', async () => {
            const before = await holders();
            seen.push([self, ...before, ...(await holders())]);
          });
        }
      }),
    );
    const alone = (self: string) => Array.from({ length: 4 }, () => [self, self, self]);
    expect(seen.toSorted()).toEqual([...alone(FIRST), ...alone(SECOND)]);
    expect(await holders()).toEqual([]);
  });

  it('makes others wait while it is held, and is told as busy after a time limit', async () => {
    const { lockOf, holders } = await openLocks();
    const task = openTask();
    const held = lockOf(FIRST)('name', task.run);
    await task.begun;
    expect(await holders()).toEqual([FIRST]);
    const never = lockOf(SECOND, { timeoutMs: 60 })('name', async () => 'never');
    await expect(never).rejects.toMatchObject({ reason: 'busy' });
    expect(await lockOf(SECOND)('another name', async () => 'at once')).toBe('at once');
    const next = lockOf(SECOND)('name', async () => 'next');
    task.end();
    expect([await held, await next]).toEqual(['done', 'next']);
    expect(await holders()).toEqual([]);
  });

  it('passes to another process where its holder is gone', async () => {
    const { lockOf, gone, holders } = await openLocks();
    const task = openTask();
    const held = lockOf(FIRST)('name', task.run);
    await task.begun;
    gone.add(FIRST);
    expect(await lockOf(SECOND)('name', holders)).toEqual([SECOND]);
    task.end();
    expect(await held).toBe('done');
    expect(await holders()).toEqual([]);
  });

  it('is given back where the task fails', async () => {
    const { lockOf, holders } = await openLocks();
    await expect(lockOf(FIRST)('name', () => Promise.reject(new TypeError('a fault')))).rejects.toThrow(
      'a fault',
    );
    expect(await holders()).toEqual([]);
  });

  it('is given back once the database is there again', async () => {
    const { lockOf, connection, holders } = await openLocks();
    const withLock = lockOf(FIRST);
    expect(
      await withLock('name', async () => {
        connection.fail();
        return 'done';
      }),
    ).toBe('done');
    expect(await holders()).toEqual([FIRST]);
    connection.recover();
    await expect.poll(holders).toEqual([]);
  });

  it('that is taken again while it waits to be given back stays with the new task', async () => {
    const { lockOf, connection, holders } = await openLocks();
    const withLock = lockOf(FIRST);
    await withLock('name', async () => connection.fail());
    const task = openTask();
    connection.recover();
    const held = withLock('name', task.run);
    await task.begun;
    // Taking it twice are four calls, giving it back was one: this is the next try.
    await expect.poll(() => connection.asked.length).toBe(6);
    expect(await holders()).toEqual([FIRST]);
    task.end();
    await held;
    expect(await holders()).toEqual([]);
  });

  it('is tried to be given back no more when the server closes', async () => {
    const { lockOf, connection, closing, holders } = await openLocks();
    closing.abort();
    await lockOf(FIRST)('name', async () => connection.fail());
    connection.recover();
    expect(await lockOf(FIRST)('name', holders)).toEqual([FIRST]);
  });

  it('that was taken though the database said nothing is given back', async () => {
    const { store, closing, holders, gone } = await openLocks();
    let isSilent = true;
    const withLock = createSharedLocks({
      now: Date.now,
      timeoutMs: 60_000,
      self: FIRST,
      signal: closing.signal,
      isLive: (id) => !gone.has(id),
      store: {
        find: store.find,
        async commit(writes, options) {
          await store.commit(writes, options);
          if (!isSilent) return;
          isSilent = false;
          throw new StoreError('timeout');
        },
      },
    });
    await expect(withLock('name', async () => 'never')).rejects.toMatchObject({ reason: 'timeout' });
    await expect.poll(holders).toEqual([]);
  });

  it('is no reason to hide an error of the database', async () => {
    const { closing } = await openLocks();
    const failing = () => Promise.reject(new StoreError('refused'));
    const withLock = createSharedLocks({
      now: Date.now,
      timeoutMs: 60_000,
      self: FIRST,
      signal: closing.signal,
      isLive: () => true,
      store: { find: async () => [], commit: failing },
    });
    await expect(withLock('name', async () => 'never')).rejects.toMatchObject({ reason: 'refused' });
  });
});

describe('a change that one process makes at a time', () => {
  it('has in force what others announced before', async () => {
    const database = await openDatabase();
    const first = await database.join(FIRST);
    const second = await database.join(SECOND);
    await first.member.announce({ kind: 'client', target: 'ann' });
    expect(await second.member.exclusively('name', async () => [...second.heard])).toContain('client ann');
  });

  it('waits for the start of its process, for no longer than one call of the database', async () => {
    const database = await openDatabase();
    const { member } = database.create(FIRST, { timeoutMs: 50 });
    await expect(member.exclusively('name', async () => 'never')).rejects.toMatchObject({
      reason: 'unavailable',
    });
    const { member: waiting } = database.create(SECOND);
    const done = waiting.exclusively('name', async () => 'done');
    await waiting.join();
    expect(await done).toBe('done');
  });

  it('ends with the process that it waits for', async () => {
    const database = await openDatabase();
    const { member } = database.create(FIRST);
    const waiting = member.exclusively('name', async () => 'never');
    await Promise.all([
      expect(waiting).rejects.toMatchObject({ reason: 'unavailable' }),
      Promise.resolve().then(() => member.beginClose()),
    ]);
  });

  it('takes the lock of a process that is gone', async () => {
    const database = await openDatabase();
    const first = await database.join(FIRST);
    const second = await database.join(SECOND);
    const task = openTask();
    const held = first.member.exclusively('name', task.run);
    await task.begun;
    first.connection.fail();
    const taking = second.member.exclusively('name', async () => 'taken');
    for (let passed = 0; passed < 7; passed += 1) {
      database.advance(1000);
      await expect.poll(() => second.member.confirmedMs()).toBe(5000);
    }
    expect(await taking).toBe('taken');
    task.end();
    await held;
  });
});
