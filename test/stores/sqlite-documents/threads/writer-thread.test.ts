import { expect, it } from 'vitest';
import { serializeWrites } from '../../../../src/stores/sqlite-documents/commit/serialized-writes.ts';
import { openStoreParts } from '../store-parts.ts';
import { indexOf, insertThing, NS } from '../test-database.ts';

it('the writer thread commits, builds and drops indexes, and truncates the log', async () => {
  const { threads, bench } = openStoreParts();
  await threads.commit(
    await serializeWrites([insertThing(1, { a: [1, 2] }), insertThing(2, { a: 3 })], undefined),
  );
  bench.catalogue.refresh();
  const { n } = bench.catalogue.addIndex(bench.catalogue.get(NS)!, indexOf({ path: 'a' }), false);
  expect(await threads.fill({ index: n, ms: 100 })).toBe('lost');
  // Time enough for all of it in one step, also where the machine stalls meanwhile.
  expect(await threads.gather({ index: n, ms: 60_000 })).toBe('gathered');
  expect(await threads.fill({ index: n, ms: 60_000 })).toBe('ready');
  expect(bench.connection.statement(`select count(*) from i_${n}`).get()).toEqual([3]);
  await threads.drop(n);
  expect(await threads.gather({ index: n, ms: 100 })).toBe('gone');
  await threads.checkpoint('truncate');
  const log = bench.connection.statement('pragma wal_checkpoint(noop)').get() as unknown as number[];
  expect(log[1]).toBe(0);
});

it('the writer thread rejects a commit after its deadline', async () => {
  const { threads, bench } = openStoreParts();
  const late = threads.commit(await serializeWrites([insertThing(1, {})], Date.now() - 1));
  await expect(late).rejects.toMatchObject({ reason: 'timeout' });
  bench.catalogue.refresh();
  expect(bench.catalogue.list()).toEqual([]);
});
