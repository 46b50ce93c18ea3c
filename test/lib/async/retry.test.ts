import { describe, expect, it, test } from 'vitest';
import { createRetrier, jitteredBackOff, pause, retry } from '../../../src/lib/async/retry.ts';

/** Work that comes to nothing until it may; waits end when they are told to. */
function play() {
  const state = { may: false };
  const done: string[] = [];
  const waits: (() => void)[] = [];
  const heard: string[] = [];
  const closing = new AbortController();
  const patient = createRetrier<string>({
    task: async (item) => {
      done.push(item);
      return state.may;
    },
    keyOf: (item) => item,
    onRetry: (item) => void heard.push(item),
    pause: (_milliseconds, signal) =>
      new Promise((resolve) => {
        waits.push(resolve);
        signal.addEventListener('abort', () => resolve());
      }),
    signal: closing.signal,
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { state, done, heard, waits, closing, patient, turn };
}

test('a retrier runs a task that succeeds once', async () => {
  const { state, done, patient } = play();
  state.may = true;
  await patient('a');
  await patient('a');
  expect(done).toEqual(['a', 'a']);
});

test('a retrier repeats a task until it succeeds', async () => {
  const { state, done, heard, waits, patient, turn } = play();
  const ended = patient('a');
  await turn();
  waits.shift()?.();
  await turn();
  expect(done).toEqual(['a', 'a']);
  state.may = true;
  waits.shift()?.();
  await ended;
  expect(done).toEqual(['a', 'a', 'a']);
  expect(heard).toEqual(['a']);
});

test('a retrier does not repeat a key that is waiting already, and does not delay other keys', async () => {
  const { done, waits, patient, turn } = play();
  void patient('a');
  await turn();
  await patient('a');
  void patient('b');
  await turn();
  expect([done, waits.length]).toEqual([['a', 'b'], 2]);
});

test('two failed tasks of one key are one retry', async () => {
  const { waits, patient, turn } = play();
  void patient('a');
  await patient('a');
  await turn();
  expect(waits).toHaveLength(1);
});

test('a retrier ends when its signal is aborted', async () => {
  const { done, closing, patient, turn } = play();
  const ended = patient('a');
  await turn();
  closing.abort();
  await ended;
  expect(done).toEqual(['a']);
});

/** A task that fails a number of times, and what it was called with. */
function failing(times: number, error: unknown = new Error('busy')) {
  const attempts: number[] = [];
  const task = async (attempt: number) => {
    attempts.push(attempt);
    if (attempt <= times) throw error;
    return 'done';
  };
  return { attempts, task };
}

const always = () => true;

describe('retry', () => {
  it('returns the result of the first attempt that succeeds', async () => {
    const { attempts, task } = failing(2);
    expect(await retry(task, { shouldRetry: always })).toBe('done');
    expect(attempts).toEqual([1, 2, 3]);
  });

  it('runs a synchronous task too', async () => {
    let calls = 0;
    const task = () => {
      calls += 1;
      if (calls < 3) throw new Error('locked');
      return calls;
    };
    expect(await retry(task, { shouldRetry: always })).toBe(3);
  });

  it('rejects with the last error after the last attempt', async () => {
    const { attempts, task } = failing(9);
    await expect(retry(task, { shouldRetry: always, maxAttempts: 4 })).rejects.toThrow('busy');
    expect(attempts).toHaveLength(4);
  });

  it('rejects at once with an error that must not be retried', async () => {
    const { attempts, task } = failing(9, new Error('refused'));
    const shouldRetry = (error: unknown, attempt: number) => attempt < 2 && error instanceof Error;
    await expect(retry(task, { shouldRetry })).rejects.toThrow('refused');
    expect(attempts).toEqual([1, 2]);
  });

  it('waits for the delay of each attempt', async () => {
    const asked: number[] = [];
    const delayMs = (attempt: number) => {
      asked.push(attempt);
      return attempt === 1 ? 0 : 1;
    };
    await retry(failing(3).task, { shouldRetry: always, delayMs });
    expect(asked).toEqual([1, 2, 3]);
  });

  it('ends with what the check of the deadline throws, before or after a wait', async () => {
    for (const failsAt of [1, 2]) {
      let checks = 0;
      const checkDeadline = () => {
        checks += 1;
        if (checks === failsAt) throw new Error('timeout');
      };
      const { attempts, task } = failing(9);
      await expect(retry(task, { shouldRetry: always, checkDeadline })).rejects.toThrow('timeout');
      expect(attempts).toEqual([1]);
    }
  });
});

describe('jitteredBackOff', () => {
  it('takes a share of a bound that doubles with each attempt, up to the maximum', () => {
    const bounds = { firstMs: 5, maxMs: 60 };
    const halves = [1, 2, 3, 4, 5, 6, 2000].map((attempt) => jitteredBackOff(attempt, bounds, () => 0.5));
    expect(halves).toEqual([2.5, 5, 10, 20, 30, 30, 30]);
    expect(jitteredBackOff(3, bounds)).toBeLessThan(20);
  });

  it('is drawn again for each attempt', () => {
    const drawn = new Set(Array.from({ length: 50 }, () => jitteredBackOff(4, { firstMs: 5, maxMs: 60 })));
    expect(drawn.size).toBeGreaterThan(1);
    expect(Math.max(...drawn)).toBeLessThan(40);
  });
});

test('a pause lasts its number of milliseconds', async () => {
  const began = performance.now();
  await pause(20, new AbortController().signal);
  expect(performance.now() - began).toBeGreaterThanOrEqual(19);
});

test('a pause ends when its signal is aborted, before or during it', async () => {
  const ended = new AbortController();
  const waiting = pause(3_600_000, ended.signal);
  ended.abort();
  await waiting;
  await pause(3_600_000, ended.signal);
});
