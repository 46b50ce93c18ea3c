import { expect, it, test } from 'vitest';
import { matchPatterns, type PatternJob, threadCpuMs } from '../../src/workers/match-patterns.ts';
import { progressCells, resultsOf } from '../../src/workers/pattern-progress.ts';

/** More than the slowest machine needs for what ends at all. */
const PATIENCE_MS = 15_000;
const verdictsWithin = (totalMs: number, jobs: readonly PatternJob[]) => {
  const progress = progressCells(jobs.length);
  matchPatterns({ jobs, totalMs, progress });
  return resultsOf(progress);
};
const verdicts = (...jobs: readonly PatternJob[]) => verdictsWithin(PATIENCE_MS, jobs);

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

test.each(['(?!a)(?<!a)', '(?=\\B)', '(?<=\\B|^b)'])(
  '%s does not match within a surrogate pair',
  (pattern) => {
    expect(verdicts({ pattern, flags: '', texts: ['a\u{1F600}a'] })).toEqual([false]);
    expect(verdicts({ pattern, flags: '', texts: ['\u{1F600}\u{1F600}'] })).toEqual([true]);
  },
);

test.each([
  ['^\\p{Letter}+$', 'é', '1'],
  ['^\\p{ASCII}$', 'a', 'é'],
  ['^\\p{Nothing}$', 'p{Nothing}', 'p'],
])(
  'a pattern with a property that only the platform knows, %s, is run by the platform',
  (pattern, yes, no) => {
    const job = { pattern, flags: '' };
    expect(verdicts({ ...job, texts: [yes] }, { ...job, texts: [no] })).toEqual([true, false]);
  },
);

test('a pattern of the linear engine ends in time where the platform would backtrack for ever', () => {
  const evil = { pattern: '^(a|aa)+$', flags: '', texts: [`${'a'.repeat(10_000)}!`] };
  const fine = { ...evil, texts: ['a'.repeat(10_000)] };
  expect(verdicts(evil, fine)).toEqual([false, true]);
});

test('text too long for the linear engine is matched all the same', () => {
  expect(verdicts({ pattern: '^[^]*b$', flags: '', texts: [`${'a'.repeat(3_000_000)}b`] })).toEqual([true]);
});

test('no job is begun when the whole time is over, but for the first', () => {
  const job = { pattern: '(?=a)', flags: '', texts: ['a'] };
  expect(verdictsWithin(0, [job, job, job])).toEqual([true]);
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
