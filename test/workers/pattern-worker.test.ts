import { expect, onTestFinished, test } from 'vitest';
import { createPatternWorker } from '../../src/workers/pattern-worker.ts';
import { longestBlockMs } from '../helpers/server-process/timing.ts';

const LOOK_AHEAD = { pattern: '^(?=.*\\d)[a-z\\d]+$', flags: '' };
const RUNAWAY = { pattern: '^(?=a)(a+)+$', flags: '' };
const EVIL = [`${'a'.repeat(40)}!`];
/** Milliseconds of processor time for which the worker may hold its caller. */
const MOST_MS = 250;

/** Milliseconds for a thread that does not answer: a busy machine may need many to start one. */
const THREAD_MS = 60_000;

/** Its clock stands still unless told: no call waits too long because the machine is busy. */
function open(now = () => 0) {
  const patterns = createPatternWorker({ now, threadMs: THREAD_MS });
  onTestFinished(() => patterns.close());
  return patterns;
}

test('the pattern worker matches what the linear engine cannot, and stops what does not end', async () => {
  const patterns = open();
  expect(await patterns.matches(LOOK_AHEAD, ['abc1', '2'])).toBe(true);
  expect(await patterns.matches(LOOK_AHEAD, ['abc1', 'abc'])).toBe(false);
  // Left alone, it would outlive this test by hours.
  expect(await patterns.matches(RUNAWAY, EVIL)).toBe(false);
  expect(await patterns.matches(LOOK_AHEAD, ['x9'])).toBe(true);
});

test('the pattern worker answers a large batch call by call', async () => {
  const patterns = open();
  const calls = Array.from({ length: 10_000 }, (_, n) => patterns.matches(LOOK_AHEAD, [n % 3 ? 'a1' : 'a']));
  const outcomes = await Promise.all(calls);
  expect(outcomes.every((outcome, n) => outcome === n % 3 > 0)).toBe(true);
});

test('patterns that do not end among many others cost the others nothing', async () => {
  const patterns = open();
  const isEvil = (n: number) => n === 3 || n === 4 || n === 150;
  const calls = Array.from({ length: 300 }, (_, n) =>
    isEvil(n) ? patterns.matches(RUNAWAY, EVIL) : patterns.matches(LOOK_AHEAD, [n % 3 ? 'a1' : 'a']),
  );
  expect(await Promise.all(calls)).toEqual(calls.map((_, n) => !isEvil(n) && n % 3 > 0));
});

test('texts of megabytes for the pattern worker do not block their sender', async () => {
  const patterns = open();
  await patterns.matches(LOOK_AHEAD, ['a1']);
  const texts = Array.from({ length: 20 }, (_, n) => `${n}${'a'.repeat(1_000_000)}`);
  let outcomes: readonly boolean[] = [];
  const held = await longestBlockMs(MOST_MS, async () => {
    outcomes = await Promise.all(texts.map((text) => patterns.matches(LOOK_AHEAD, [text])));
  });
  expect(outcomes.every((outcome) => outcome)).toBe(true);
  expect(held).toBeLessThan(MOST_MS);
});

test('a call that waits too long behind hostile texts is rejected as busy', async () => {
  let time = 0;
  const patterns = open(() => time);
  const first = patterns.matches(RUNAWAY, EVIL);
  // Too long to be sent with the first, which a busy machine may make the worker send again.
  const second = patterns.matches(RUNAWAY, [...EVIL, 'a'.repeat(1_000_000)]);
  const late = first.then(() => {
    time = 5_001;
    return patterns.matches(LOOK_AHEAD, ['a1']);
  });
  expect(await Promise.allSettled([first, second, late])).toMatchObject([
    { status: 'fulfilled', value: false },
    { status: 'rejected', reason: { code: 'QUERY_TIMEOUT' } },
    { status: 'fulfilled', value: true },
  ]);
});

test('calls that all waited too long behind a hostile text are rejected as busy', async () => {
  let time = 0;
  const patterns = open(() => time);
  const first = patterns.matches(RUNAWAY, EVIL).then((verdict) => {
    time = 5_001;
    return verdict;
  });
  // They come after the first has been sent.
  const others = [1, 2].map(() => patterns.matches(LOOK_AHEAD, ['a1']));
  expect(await first).toBe(false);
  for (const other of await Promise.allSettled(others))
    expect(other).toMatchObject({ reason: { code: 'QUERY_TIMEOUT' } });
  expect(await patterns.matches(LOOK_AHEAD, ['a1'])).toBe(true);
});

test('a call whose thread has no time to answer is rejected as busy, and its texts are not said to be wrong', async () => {
  const patterns = createPatternWorker({ threadMs: 1 });
  onTestFinished(() => patterns.close());
  const calls = [1, 2, 3].map(() => patterns.matches(LOOK_AHEAD, ['a1']));
  for (const call of await Promise.allSettled(calls)) {
    expect(call).not.toMatchObject({ value: false });
  }
  // A thread takes longer than that to start.
  await expect(calls[0]).rejects.toMatchObject({ code: 'QUERY_TIMEOUT', status: 503 });
});

test('a call with a pattern that no engine compiles is rejected, and later calls are answered', async () => {
  const patterns = open();
  await expect(patterns.matches({ pattern: '(', flags: '' }, ['a'])).rejects.toThrow(/Invalid regular/);
  expect(await patterns.matches(LOOK_AHEAD, ['a1'])).toBe(true);
});

test('a pattern worker that was never called closes without a thread', async () => {
  await expect(createPatternWorker().close()).resolves.toBeUndefined();
});
