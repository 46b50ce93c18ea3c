import { expect, it } from 'vitest';
import { BUILD_LIMITS, createBuildSteps, isSmall } from '../../../src/stores/sqlite-documents/build-steps.ts';
import { expectConsistentIndexes } from './index-consistency.ts';
import { openStoreParts } from './store-parts.ts';
import { indexOf, NS } from './test-database.ts';

function openSteps(smallText: number) {
  const joined = openStoreParts();
  const { bench, threads, queue, checkpointer, asked } = joined;
  bench.fill([{ a: 1 }, { a: 2 }, { a: 3 }]);
  bench.catalogue.refresh();
  const { n } = bench.catalogue.addIndex(bench.catalogue.ensure(NS), indexOf({ path: 'a' }), false);
  const limits = { sliceMs: -1, smallSliceMs: -1, smallText };
  const onError = (error: unknown) => joined.errors.push(error);
  const steps = createBuildSteps({ writer: bench, threads, queue, checkpointer, limits, onError });
  return { ...joined, asked, n, steps, limits };
}

it('a small collection is indexed on the main thread', async () => {
  const { steps, n, asked, bench, limits } = openSteps(BUILD_LIMITS.smallText);
  expect(isSmall(bench, n, limits)).toBe(true);
  expect([await steps.step(n), await steps.step(n), await steps.step(n)]).toEqual(['more', 'more', 'more']);
  expect(await steps.step(n)).toBe('done');
  await steps.discard(n);
  expect(asked).toEqual([]);
  expectConsistentIndexes(bench);
});

it('a large collection is indexed on the writer thread, where the build also ends', async () => {
  const { steps, n, asked, bench, commits } = openSteps(0);
  expect(await steps.step(n)).toBe('more');
  await commits.commit(
    [1, 2, 3].map((at) => ({ kind: 'remove', ns: NS, id: `${at}`.padStart(24, '0'), v: 0 })),
    {},
  );
  while ((await steps.step(n)) === 'more');
  expect(new Set(asked)).toEqual(new Set(['gather', 'fill', 'discard']));
  expect(asked.at(-1)).toBe('discard');
  expectConsistentIndexes(bench);
  expect(await steps.step(n)).toBe('done');
});

it('a build whose rows were lost with their thread gathers them again', async () => {
  const { steps, n, asked, threads, bench } = openSteps(0);
  while (!asked.includes('fill')) {
    // As when the thread was idle for so long that it ended.
    if (asked.filter((task) => task === 'gather').length === 4) await threads.discard(n);
    await steps.step(n);
  }
  expect(asked.at(-1)).toBe('fill');
  while ((await steps.step(n)) === 'more');
  expect(asked.filter((task) => task === 'gather')).toHaveLength(8);
  expectConsistentIndexes(bench);
});
