import { expect, test } from 'vitest';
import type { Write } from '../../../../src/stores/ports.ts';
import {
  createCommitGroups,
  type ShortCommit,
} from '../../../../src/stores/sqlite-documents/commit/commit-groups.ts';

const ns = { database: null, collection: 'c' };
const insert = (id: string): Write => ({ kind: 'insert', ns, document: { _id: id } });
const member = (id: string, changes: Partial<ShortCommit> = {}): ShortCommit => ({
  writes: [insert(id)],
  size: 10,
  deadline: undefined,
  ...changes,
});
const idOf = (one: Write) => ('document' in one ? one.document._id : one.id);

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
      groups.push(writes.map(idOf));
      return !writes.some((one) => refuse.includes(idOf(one)));
    },
    async commitAlone({ writes: [one] }) {
      singles.push(idOf(one!));
      if (refuse.includes(idOf(one!))) throw new Error(`refused ${idOf(one!)}`);
    },
  });
  return { ...service, groups, singles, deadlines };
}

test('inserts of one turn are committed together at its end, the first one too', async () => {
  const { tryJoin: join, groups, singles, deadlines } = setUp();
  const joined = [member('a'), member('b', { deadline: 7 }), member('c', { deadline: 5 })].map(join);
  expect(groups).toEqual([]);
  await Promise.all(joined);
  expect([groups, singles, deadlines]).toEqual([[['a', 'b', 'c']], [], [5]]);
  await join(member('d'));
  expect([groups, singles, deadlines]).toEqual([[['a', 'b', 'c']], ['d'], [5, undefined]]);
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
    [...large.writes.map(idOf), 'e'],
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
