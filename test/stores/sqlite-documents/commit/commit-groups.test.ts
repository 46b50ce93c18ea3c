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

test('the first insert of a tick is committed alone, the others together at its end', async () => {
  const { tryJoin: join, groups, singles, deadlines } = setUp();
  expect(join(member('a'))).toBeUndefined();
  const others = [join(member('b', { deadline: 7 })), join(member('c', { deadline: 5 }))];
  expect(groups).toEqual([]);
  await Promise.all(others);
  expect([groups, singles, deadlines]).toEqual([[['b', 'c']], [], [5]]);
  expect(join(member('d'))).toBeUndefined();
});

test('a group of one is committed alone', async () => {
  const { tryJoin: join, groups, singles } = setUp();
  join(member('a'));
  await join(member('b'));
  expect([groups, singles]).toEqual([[], ['b']]);
});

test('the error of one commit does not fail the others of its group', async () => {
  const { tryJoin: join, singles } = setUp({ refuse: ['c'] });
  join(member('a'));
  const settled = await Promise.allSettled(['b', 'c', 'd'].map((id) => join(member(id))));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(singles).toEqual(['b', 'c', 'd']);
});

test('a full queue rejects all commits of a group', async () => {
  const { tryJoin: join } = setUp({ full: true });
  join(member('a'));
  const settled = await Promise.allSettled([join(member('b')), join(member('c'))]);
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test.each([
  ['writes', member('d', { writes: [insert('d'), insert('e'), insert('f')] })],
  ['text', member('d', { size: 91 })],
])('a group does not take too much %s', async (_name, large) => {
  const { tryJoin: join } = setUp();
  join(member('a'));
  const joined = join(member('b'));
  expect(join(large)).toBeUndefined();
  await joined;
});

test('an update does not join a group', () => {
  const { tryJoin: join } = setUp();
  join(member('a'));
  const writes: Write[] = [{ kind: 'remove', ns, id: 'b', v: 1 }];
  expect(join(member('b', { writes }))).toBeUndefined();
});

test('flushed resolves when the group is in the queue', async () => {
  const { tryJoin: join, flushed: gathered, groups } = setUp();
  join(member('a'));
  const joined = [join(member('b')), join(member('c'))];
  await gathered();
  expect(groups).toEqual([['b', 'c']]);
  await Promise.all(joined);
  await gathered();
});
