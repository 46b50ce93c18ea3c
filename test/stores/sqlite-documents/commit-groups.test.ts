import { expect, test } from 'vitest';
import type { Write } from '../../../src/stores/ports.ts';
import { createCommitGroups, type Member } from '../../../src/stores/sqlite-documents/commit-groups.ts';

const write = (id: string): Write => ({
  kind: 'insert',
  ns: { database: null, collection: 'c' },
  document: { _id: id },
});
const member = (id: string, changes: Partial<Member> = {}): Member => ({
  writes: [write(id)],
  size: 10,
  deadline: undefined,
  ...changes,
});
const idOf = (one: Write) => ('document' in one ? one.document._id : one.id);

function setUp({ refuse = [] as string[], most = { writes: 3, size: 100 } } = {}) {
  const groups: string[][] = [];
  const singles: string[] = [];
  const service = createCommitGroups({
    most,
    now: () => 1000,
    together(writes) {
      groups.push(writes.map(idOf));
      return !writes.some((one) => refuse.includes(idOf(one)));
    },
    async alone({ writes: [one] }) {
      singles.push(idOf(one!));
      if (refuse.includes(idOf(one!))) throw new Error(`refused ${idOf(one!)}`);
    },
  });
  return { ...service, groups, singles };
}

test('commits in one go what arrives in one turn of the loop', async () => {
  const { join, lead, groups, singles } = setUp();
  const all = [lead(member('a')), join(member('b')), join(member('c'))];
  expect(groups).toEqual([]);
  await Promise.all(all);
  expect(groups).toEqual([['a', 'b', 'c']]);
  expect(singles).toEqual([]);
  expect(join(member('d'))).toBeUndefined();
});

test('commits a single one by itself', async () => {
  const { lead, groups, singles } = setUp();
  await lead(member('a'));
  expect([groups, singles]).toEqual([[], ['a']]);
});

test('keeps the failure of one from the others', async () => {
  const { join, lead, singles } = setUp({ refuse: ['b'] });
  const settled = await Promise.allSettled([lead(member('a')), join(member('b')), join(member('c'))]);
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(singles).toEqual(['a', 'b', 'c']);
});

test('rejects for the one that leads, too', async () => {
  const { lead } = setUp({ refuse: ['a'] });
  await expect(lead(member('a'))).rejects.toThrow('refused a');
});

test.each([
  ['writes', member('d', { writes: [write('d'), write('e')] })],
  ['text', member('d', { size: 81 })],
])('has no room for too much %s', async (_name, large) => {
  const { join, lead } = setUp();
  const first = [lead(member('a')), join(member('b'))];
  expect(join(large)).toBeUndefined();
  await Promise.all(first);
});

test('leaves it to each to say that it is late', async () => {
  const { join, lead, groups, singles } = setUp();
  await Promise.all([lead(member('a')), join(member('b', { deadline: 999 }))]);
  expect([groups, singles]).toEqual([[], ['a', 'b']]);
});
