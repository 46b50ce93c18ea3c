import { describe, expect, it, test } from 'vitest';
import type { Write } from '../../../src/stores/ports.ts';
import { createCommitGroups, type ShortCommit } from '../../../src/stores/sqlite-documents/commits.ts';
import { inTransaction } from '../../../src/stores/sqlite-documents/data-file/connection.ts';
import { openStoreParts } from './store-parts.ts';
import { idOf, indexOf, insertThing, NS } from './test-database.ts';

describe('commits', () => {
  it('run on the main thread when short', async () => {
    const { commits, asked, bench } = openStoreParts();
    await commits.commit([insertThing(1, { a: 1 })], {});
    await commits.commit([], {});
    expect(asked).toEqual([]);
    expect(bench.catalogue.get(NS)?.documents).toBe(1);
  });

  it('run on the writer thread when they are many, long, or make many rows', async () => {
    const { commits, asked, bench } = openStoreParts();
    bench.index(indexOf({ path: 'a' }));
    await commits.commit(
      Array.from({ length: 40 }, (_, n) => insertThing(n, {})),
      {},
    );
    await commits.commit([insertThing(100, { text: 'x'.repeat(300_000) })], {});
    await commits.commit([insertThing(101, { a: Array.from({ length: 20_000 }, (_, n) => n) })], {});
    expect(asked).toEqual(['commit', 'commit', 'commit']);
    bench.catalogue.refresh();
    expect(bench.catalogue.get(NS)?.documents).toBe(42);
    const stale = { kind: 'remove', ns: NS, id: idOf(1), v: 9 } as const;
    const failing = commits.commit(
      [...Array.from({ length: 40 }, (_, n) => insertThing(200 + n, {})), stale],
      {},
    );
    await expect(failing).rejects.toMatchObject({ name: 'StoreError', reason: 'conflict', index: 40 });
  });

  it('succeed even if a listener throws', async () => {
    const failure = new Error('behind a commit');
    const fail = () => {
      throw failure;
    };
    const { commits, bench, errors } = openStoreParts({ freeBytes: fail });
    const told: unknown[] = [];
    commits.onCommit(fail);
    commits.onCommit((changed) => void told.push(changed));
    await commits.commit([insertThing(1, { text: 'x'.repeat(100_000) })], {});
    expect(bench.catalogue.get(NS)?.documents).toBe(1);
    expect(told).toEqual([[NS]]);
    expect(errors).toEqual([failure, failure]);
  });

  it('wait for another process that holds the file, until the deadline', async () => {
    const { commits, bench } = openStoreParts();
    const other = bench.connect();
    other.db.exec('begin immediate');
    const late = commits.commit([insertThing(1, {})], { deadline: Date.now() + 40 });
    const explanation = expect.stringMatching(/another program.* Nothing was written$/);
    await expect(late).rejects.toMatchObject({ reason: 'timeout', explanation });
    const patient = commits.commit([insertThing(2, {})], {});
    other.db.exec('commit');
    await patient;
    expect(inTransaction(other, 'read', () => other.statement('select count(*) from d_1').get())).toEqual([
      1,
    ]);
  });
});

const ns = { database: null, collection: 'c' };
const insert = (id: string): Write => ({ kind: 'insert', ns, document: { _id: id } });
const member = (id: string, changes: Partial<ShortCommit> = {}): ShortCommit => ({
  writes: [insert(id)],
  size: 10,
  deadline: undefined,
  ...changes,
});
const idOfWrite = (one: Write) => ('document' in one ? one.document._id : one.id);

function setUp({ refuse = [] as string[], full = false } = {}) {
  const groups: string[][] = [];
  const singles: string[] = [];
  const deadlines: unknown[] = [];
  const service = createCommitGroups({
    limits: { writes: 3, size: 100 },
    async enqueue(work, deadline) {
      deadlines.push(deadline);
      if (full) throw new Error('busy');
      await work();
    },
    commitTogether(writes) {
      groups.push(writes.map(idOfWrite));
      return !writes.some((one) => refuse.includes(idOfWrite(one)));
    },
    async commitAlone({ writes: [one] }) {
      singles.push(idOfWrite(one!));
      if (refuse.includes(idOfWrite(one!))) throw new Error(`refused ${idOfWrite(one!)}`);
    },
  });
  return { ...service, groups, singles, deadlines };
}

test('inserts of one turn are committed together, the first one too', async () => {
  const { tryJoin: join, groups, singles, deadlines } = setUp();
  const joined = [member('a'), member('b', { deadline: 7 }), member('c', { deadline: 5 })].map(join);
  expect(groups).toEqual([]);
  await Promise.all(joined);
  expect([groups, singles, deadlines]).toEqual([[['a', 'b', 'c']], [], [5]]);
  await join(member('d'));
  expect([groups, singles, deadlines]).toEqual([[['a', 'b', 'c']], ['d'], [5, undefined]]);
});

test('a group grows for as long as every turn adds an insert to it', async () => {
  const { tryJoin: join, groups } = setUp();
  const joined = [join(member('a')), join(member('b'))];
  // Runs after the first look at the group.
  setImmediate(() => joined.push(join(member('c'))));
  await joined[0];
  expect(groups).toEqual([['a', 'b', 'c']]);
  await Promise.all(joined);
});

test('a group of one is committed alone', async () => {
  const { tryJoin: join, groups, singles } = setUp();
  await join(member('a'));
  expect([groups, singles]).toEqual([[], ['a']]);
});

test('the error of one commit does not fail the others of its group', async () => {
  const { tryJoin: join, singles } = setUp({ refuse: ['c'] });
  const settled = await Promise.allSettled(['b', 'c', 'd'].map((id) => join(member(id))));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(singles).toEqual(['b', 'c', 'd']);
});

test('a full queue rejects all commits of a group', async () => {
  const { tryJoin: join } = setUp({ full: true });
  const settled = await Promise.allSettled([join(member('a')), join(member('b'))]);
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test.each([
  ['writes', member('c', { writes: [insert('c'), insert('d')] })],
  ['text', member('c', { size: 81 })],
])('a commit of too much %s for a group begins the next one', async (_name, large) => {
  const { tryJoin: join, groups, singles } = setUp();
  const joined = [join(member('a')), join(member('b'))];
  joined.push(join(large));
  // The full group does not wait for the end of the turn.
  expect(groups).toEqual([['a', 'b']]);
  joined.push(join(member('e', { size: 1 })));
  await Promise.all(joined);
  expect(groups).toEqual([
    ['a', 'b'],
    [...large.writes.map(idOfWrite), 'e'],
  ]);
  expect(singles).toEqual([]);
});

test('an update does not join a group', () => {
  const { tryJoin: join } = setUp();
  join(member('a'));
  const writes: Write[] = [{ kind: 'remove', ns, id: 'b', v: 1 }];
  expect(join(member('b', { writes }))).toBeUndefined();
});

test('flushed resolves when the group is in the queue', async () => {
  const { tryJoin: join, flushed, groups } = setUp();
  const joined = [join(member('a')), join(member('b'))];
  await flushed();
  expect(groups).toEqual([['a', 'b']]);
  await Promise.all(joined);
  await flushed();
});
