// Marks of a cache that several processes share, on a cache that can go away.
import { describe, expect, it, onTestFinished } from 'vitest';
import { CacheReach } from '../../src/deployment/cache-reach.ts';
import { SharedMarks } from '../../src/deployment/shared-marks.ts';
import type { CacheMarks, Write } from '../../src/stores/ports.ts';
import { failingStore } from '../helpers/store/temporary-store.ts';
import { FIRST, openDatabase, SECOND } from './members.ts';

/** Marks as Redis keeps them. */
function createMarks() {
  const marks = new Map<string, number>();
  let count = 0;
  let isAway = false;
  const replaced: string[] = [];
  const next = () => {
    count += 1;
    return count;
  };
  const store: CacheMarks = {
    async read(names) {
      if (isAway) return undefined;
      for (const name of names) if (!marks.has(name)) marks.set(name, next());
      return names.map((name) => String(marks.get(name)));
    },
    async replace(names) {
      if (isAway) return false;
      replaced.push(...names);
      for (const name of names) marks.set(name, next());
      return true;
    },
  };
  const setAway = (away: boolean) => {
    isAway = away;
  };
  return { store, replaced, setAway };
}

const insert = (collection: string, id = 'd'): Write => ({
  kind: 'insert',
  ns: { database: null, collection },
  document: { _id: id.repeat(24), v: 1 },
});

async function openTwo() {
  const database = await openDatabase();
  const first = await database.join(FIRST);
  const second = await database.join(SECOND);
  const marks = createMarks();
  const logged: string[] = [];
  const line = (_fields: object, message: string) => void logged.push(message);
  const reach = new CacheReach({
    ...{ marks: marks.store, member: first.member },
    log: { info: line, warn: line },
  });
  onTestFinished(() => reach.close());
  const shared = new SharedMarks({ marks: marks.store, member: first.member, reach });
  const connection = failingStore(database.store);
  return {
    ...{ database, first, second, marks, logged, shared, reach },
    connection,
    store: shared.around(connection),
  };
}

describe('marks of a shared cache', () => {
  it('are replaced by a commit before it is acknowledged, each once', async () => {
    const { store, marks, shared } = await openTwo();
    const before = await shared.read(['books']);
    await store.commit([insert('books', 'd'), insert('books', 'e'), insert('cloister.own', 'f')]);
    expect(marks.replaced).toHaveLength(1);
    await store.commit([insert('cloister.own', '1')]);
    expect(marks.replaced).toHaveLength(1);
    expect(await shared.read(['books'])).toEqual(before);
    expect(await shared.read(marks.replaced)).not.toEqual(before);
  });

  it('are left alone by a process that has the database to itself', async () => {
    const { store, second, database, first, marks } = await openTwo();
    await second.member.close();
    database.advance(1000);
    await expect.poll(() => first.member.isAlone()).toBe(true);
    await store.commit([insert('books')]);
    expect(marks.replaced).toEqual([]);
  });

  it('are replaced by a commit that may have been made, and not by one that was refused', async () => {
    const { store, connection, marks } = await openTwo();
    connection.fail('timeout', ['commit']);
    await expect(store.commit([insert('books')])).rejects.toMatchObject({ reason: 'timeout' });
    expect(marks.replaced).toHaveLength(1);
    connection.recover();
    await store.commit([insert('books')]);
    await expect(store.commit([insert('books')])).rejects.toMatchObject({ reason: 'duplicate' });
    expect(marks.replaced).toHaveLength(2);
  });

  it('are not read by a process that may not know what others have changed', async () => {
    const { shared, first, database } = await openTwo();
    expect(await shared.read(['books'])).toHaveLength(2);
    first.connection.fail();
    database.advance(5000);
    expect(await shared.read(['books'])).toBe(undefined);
  });
});

describe('a shared cache that one process cannot reach', () => {
  it('is used by nobody before a commit is acknowledged, and again once it can be reached', async () => {
    const { database, store, second, marks, logged, shared } = await openTwo();
    marks.setAway(true);
    await store.commit([insert('books')]);
    expect(logged).toEqual([
      'the shared cache cannot be reached: no server uses it, and limits are divided, until it can',
    ]);
    // It heard of it when it was asked whether that is in force.
    await second.member.setCacheAway(false);
    database.advance(1000);
    await expect.poll(() => second.member.isCacheAway()).toBe(true);
    expect(await shared.read(['books'])).toBe(undefined);
    await store.commit([insert('books', 'e')]);
    marks.setAway(false);
    await expect.poll(() => logged).toHaveLength(2);
    expect(logged.at(-1)).toBe('the shared cache is used again');
    expect(marks.replaced).toContain('*');
    database.advance(1000);
    await expect.poll(() => second.member.isCacheAway()).toBe(false);
    expect(await shared.read(['books'])).toHaveLength(2);
  });

  it('stays unused while that cannot be told', async () => {
    const { store, first, marks, logged, shared } = await openTwo();
    marks.setAway(true);
    await store.commit([insert('books')]);
    first.connection.fail('unavailable', ['commit']);
    marks.setAway(false);
    await expect.poll(() => marks.replaced).toContain('*');
    await expect.poll(() => first.connection.failed).toContain('commit');
    expect(logged).toHaveLength(1);
    first.connection.recover();
    await expect.poll(() => logged).toHaveLength(2);
    expect(await shared.read(['books'])).toHaveLength(2);
  });

  it('is not tried any more by a server that closes', async () => {
    const { store, marks, reach, logged } = await openTwo();
    marks.setAway(true);
    reach.close();
    await store.commit([insert('books')]);
    marks.setAway(false);
    await store.commit([insert('books', 'e')]);
    expect([logged.length, marks.replaced]).toEqual([1, []]);
  });
});
