import { expect, it } from 'vitest';
import { EVERYTHING } from '../../../src/stores/filter.ts';
import { openJoined } from './joined.ts';
import { insertOf, NS } from './workbench.ts';

it('finds, counts and measures on a connection of its own', async () => {
  const { threads, bench } = openJoined();
  bench.fill([{ n: 1 }, { n: 2 }]);
  const query = { filter: EVERYTHING, sort: [['n', -1]] as const, skip: 0, limit: 1 };
  const [text] = await threads.find({ ns: NS, query, deadline: undefined });
  expect(JSON.parse(text!)).toMatchObject({ n: 2 });
  expect(await threads.count({ ns: NS, filter: EVERYTHING, deadline: undefined })).toBe(2);
  expect((await threads.space({ ns: NS, deadline: undefined })).documents).toBeGreaterThan(0);
});

it('sees every commit that was answered before', async () => {
  const { threads, commits } = openJoined();
  for (let n = 1; n <= 5; n += 1) {
    await commits.commit([insertOf(n, { n })], {});
    expect(await threads.count({ ns: NS, filter: EVERYTHING, deadline: undefined })).toBe(n);
  }
});

it('ends at the deadline', async () => {
  const { threads, bench } = openJoined();
  bench.fill([{ n: 1 }]);
  const filter = { kind: 'field', path: 'n', tests: [{ kind: 'ne', value: 5 }] } as const;
  await expect(threads.count({ ns: NS, filter, deadline: 1 })).rejects.toMatchObject({ reason: 'timeout' });
});
