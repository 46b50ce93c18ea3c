import { expect, it, onTestFinished, test } from 'vitest';
import { matchPatterns, type PatternJob, threadCpuMs } from '../../src/workers/match-patterns.ts';
import { createWorkerPool } from '../../src/workers/worker-pool.ts';

/** More than the slowest machine needs for what ends at all. */
const PATIENCE_MS = 15_000;
const verdicts = (...jobs: readonly PatternJob[]) =>
  matchPatterns({ jobs, limitMs: PATIENCE_MS, totalMs: PATIENCE_MS });
const runaway = { pattern: '^(a|aa)+$(?=b)', flags: '', texts: [`${'a'.repeat(60)}!`] };

test('every text of a job has to match', () => {
  const behind = { pattern: '(?<=a)b', flags: '' };
  expect(verdicts({ ...behind, texts: ['ab', 'xab'] }, { ...behind, texts: ['ab', 'b'] })).toEqual([
    true,
    false,
  ]);
});

test('flags count, and characters are code points where the pattern permits it', () => {
  expect(verdicts({ pattern: '^(?=A)a.$', flags: 'i', texts: ['A\u{1F600}'] })).toEqual([true]);
  expect(verdicts({ pattern: '^(?=a)a\\-$', flags: '', texts: ['a-'] })).toEqual([true]);
});

test('a pattern that exceeds its time does not match, for that job alone', () => {
  const jobs = [runaway, { pattern: '(?=a)', flags: '', texts: ['a'] }];
  // A twentieth of the processor counts as all of it: a busy machine may give no more, and would judge nothing.
  const cpuMs = () => 20 * threadCpuMs();
  expect(matchPatterns({ jobs, limitMs: 50, totalMs: PATIENCE_MS }, { cpuMs })).toEqual([false, true]);
});

test('a pattern of the linear engine ends in time where the platform would backtrack for ever', () => {
  const evil = { pattern: '^(a|aa)+$', flags: '', texts: [`${'a'.repeat(10_000)}!`] };
  const fine = { ...evil, texts: ['a'.repeat(10_000)] };
  expect(verdicts(evil, fine)).toEqual([false, true]);
});

test('text too long for the linear engine is matched all the same', () => {
  expect(verdicts({ pattern: '^[^]*b$', flags: '', texts: [`${'a'.repeat(3_000_000)}b`] })).toEqual([true]);
});

test('no job is begun when the whole time is over, but for the first', () => {
  let used = 0;
  const cpuMs = () => {
    used += 30;
    return used;
  };
  const task = { jobs: [runaway, runaway, runaway], limitMs: 30, totalMs: 20 };
  expect(matchPatterns(task, { cpuMs })).toEqual([false]);
});

test('what the machine did not let run is tried again, while there is time, and judged by nobody then', () => {
  const begun: number[] = [];
  const cpuMs = () => {
    begun.push(begun.length);
    // Before and after an attempt: nothing was used in the first one.
    return begun.length > 3 ? 30 : 0;
  };
  const task = { jobs: [runaway], limitMs: 30, totalMs: 60_000 };
  expect(matchPatterns(task, { cpuMs })).toEqual([false]);
  expect(begun).toHaveLength(4);
  expect(matchPatterns({ ...task, totalMs: 0 }, { cpuMs: () => 0 })).toEqual([]);
});

it('the processor time of a worker counts milliseconds in which its thread ran', () => {
  // Ends only if it goes on while the thread works.
  const from = { wall: performance.now(), cpu: threadCpuMs(), all: process.cpuUsage() };
  while (threadCpuMs() - from.cpu < 20);
  const used = threadCpuMs() - from.cpu;
  // It ran no longer than the wall clock says, and no longer than all threads of the process.
  const { user, system } = process.cpuUsage(from.all);
  expect(used).toBeLessThan(Math.min(performance.now() - from.wall, (user + system) / 1000) + 1);
});

// Where it is over depends on the machine: one of them is in the middle.
test.each([3, 6, 12, 24, 48])(
  'a limit of %i ms leaves the engine whole that it may interrupt the loading of',
  async (limitMs) => {
    const pool = createWorkerPool({ maxThreads: 1 });
    onTestFinished(() => pool.close());
    const call = {
      module: new URL('../../src/workers/match-patterns.ts', import.meta.url).href,
      name: 'matchPatterns',
    };
    const jobs = [{ pattern: 'a+', flags: '', texts: ['aaa'] }];
    await pool.run({ jobs, limitMs, totalMs: 0 }, call);
    expect(await pool.run({ jobs, limitMs: PATIENCE_MS, totalMs: PATIENCE_MS }, call)).toEqual([true]);
  },
);
