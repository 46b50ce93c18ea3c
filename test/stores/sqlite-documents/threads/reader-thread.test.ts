import { expect, it } from 'vitest';
import { MATCH_ALL } from '../../../../src/stores/filter.ts';
import { openStoreParts } from '../store-parts.ts';
import { insertThing, NS } from '../test-database.ts';

it('the reader thread finds, counts and measures on its own connection', async () => {
  const { threads, bench } = openStoreParts();
  bench.fill([{ n: 1 }, { n: 2 }]);
  const query = { filter: MATCH_ALL, sort: [['n', -1]] as const, skip: 0, limit: 1 };
  const [text] = await threads.find({ ns: NS, query, deadline: undefined });
  expect(JSON.parse(text!)).toMatchObject({ n: 2 });
  expect(await threads.count({ ns: NS, filter: MATCH_ALL, deadline: undefined })).toBe(2);
  expect((await threads.diskUsage({ ns: NS, deadline: undefined })).documents).toBeGreaterThan(0);
});

it('the reader thread sees every earlier commit', async () => {
  const { threads, commits } = openStoreParts();
  for (let n = 1; n <= 5; n += 1) {
    await commits.commit([insertThing(n, { n })], {});
    expect(await threads.count({ ns: NS, filter: MATCH_ALL, deadline: undefined })).toBe(n);
  }
});

it('the reader thread ends a query at its deadline', async () => {
  const { threads, bench } = openStoreParts();
  bench.fill([{ n: 1 }]);
  const filter = { kind: 'field', path: 'n', tests: [{ kind: 'ne', value: 5 }] } as const;
  await expect(threads.count({ ns: NS, filter, deadline: 1 })).rejects.toMatchObject({ reason: 'timeout' });
});
