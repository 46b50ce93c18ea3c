import { describe, expect, it } from 'vitest';
import {
  BUILD_LIMITS,
  type BuildQueue,
  type BuildSteps,
  createBuildQueue,
  createBuildSteps,
  isSmall,
} from '../../../src/stores/sqlite-documents/build-queue.ts';
import { expectConsistentIndexes } from './index-consistency.ts';
import { openStoreParts } from './store-parts.ts';
import { indexOf, NS } from './test-database.ts';

/** Builds of as many steps as `lengths` says, that do nothing but keep a diary. */
function openQueue(
  lengths: Readonly<Record<number, number>>,
  during: (event: string) => void = () => undefined,
) {
  const diary: string[] = [];
  const left = new Map(Object.entries(lengths).map(([n, length]) => [Number(n), length]));
  const note = (event: string) => {
    diary.push(event);
    during(event);
  };
  const steps: BuildSteps = {
    async step(n) {
      note(`step ${n}`);
      await new Promise((resolve) => setImmediate(resolve));
      const rest = (left.get(n) ?? 0) - 1;
      left.set(n, rest);
      if (Number.isNaN(rest)) throw new Error(`no luck with ${n}`);
      return rest > 0 ? 'more' : 'done';
    },
    discard: async (n) => {
      note(`discard ${n}`);
      left.set(n, lengths[n] ?? 0);
    },
    onFailed: async (n, error) => note(`failed ${n}: ${(error as Error).message}`),
  };
  const queue: BuildQueue = createBuildQueue(steps);
  return { queue, diary };
}

const outcomeOf = (build: Promise<void>) =>
  build.then(
    () => 'done',
    (error: { reason?: string; message: string }) => error.reason ?? error.message,
  );

describe('the queue of index builds', () => {
  it('runs builds one after the other in order of arrival', async () => {
    const { queue, diary } = openQueue({ 1: 2, 2: 1, 3: 2 });
    await Promise.all([queue.run(1, false), queue.run(2, false), queue.run(3, false)]);
    expect(diary).toEqual(['step 1', 'step 1', 'step 2', 'step 3', 'step 3']);
    await queue.run(2, false);
    expect(diary.at(-1)).toBe('step 2');
  });

  it('runs urgent builds first and then continues the paused ones', async () => {
    let urgent: Promise<unknown> = Promise.resolve();
    const { queue, diary } = openQueue({ 1: 3, 2: 2, 3: 1 }, (event) => {
      if (event === 'step 1' && diary.length === 1)
        urgent = Promise.all([queue.run(2, true), queue.run(3, true)]);
    });
    await queue.run(1, false);
    await urgent;
    expect(diary).toEqual(['step 1', 'step 2', 'step 2', 'step 3', 'step 1', 'step 1']);
  });

  it('joins callers that build the same index', async () => {
    const { queue, diary } = openQueue({ 1: 2 });
    const first = queue.run(1, false);
    expect(queue.run(1, false)).toBe(first);
    await first;
    expect(diary).toEqual(['step 1', 'step 1']);
  });

  it('discards the results of a failed build, reports it once and continues with the next', async () => {
    const { queue, diary } = openQueue({ 1: Number.NaN, 2: 1 });
    const builds = [queue.run(1, false), queue.run(1, false), queue.run(2, false)];
    expect(await Promise.all(builds.map(outcomeOf))).toEqual(['no luck with 1', 'no luck with 1', 'done']);
    expect(diary).toEqual(['step 1', 'discard 1', 'failed 1: no luck with 1', 'step 2']);
    expect(await outcomeOf(queue.run(1, true))).toBe('no luck with 1');
  });

  it('cancels a running build after its step and a waiting one at once', async () => {
    const cancelled: Promise<void>[] = [];
    const { queue, diary } = openQueue({ 1: 5, 2: 1, 3: 1 }, (event) => {
      if (event === 'step 1' && diary.length === 2) cancelled.push(queue.cancel(1), queue.cancel(2));
    });
    await Promise.all([queue.run(1, false), queue.run(2, false), queue.run(3, false)]);
    await Promise.all(cancelled);
    expect(diary.toSorted()).toEqual(['discard 1', 'discard 2', 'step 1', 'step 1', 'step 3']);
    await queue.cancel(7);
  });

  it('ignores the error of a step whose build was cancelled', async () => {
    let cancelled = Promise.resolve();
    const { queue, diary } = openQueue({ 1: Number.NaN }, (event) => {
      if (event === 'step 1') cancelled = queue.cancel(1);
    });
    expect(await outcomeOf(queue.run(1, false))).toBe('done');
    await cancelled;
    expect(diary).toEqual(['step 1', 'discard 1']);
  });

  it('rejects all builds when the store closes, after the current step', async () => {
    const { queue, diary } = openQueue({ 1: 5, 2: 1 });
    const outcomes = Promise.all([queue.run(1, false), queue.run(2, true)].map(outcomeOf));
    await queue.close();
    expect(await outcomes).toEqual(['unavailable', 'unavailable']);
    expect(diary).toEqual(['step 1']);
    expect(await outcomeOf(queue.run(3, true))).toBe('unavailable');
  });
});

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
