import { expect, test } from 'vitest';
import { createRetrier } from '../../../src/lib/async/retry.ts';

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

test('does what succeeds once', async () => {
  const { state, done, patient } = play();
  state.may = true;
  await patient('a');
  await patient('a');
  expect(done).toEqual(['a', 'a']);
});

test('repeats what came to nothing until it does not', async () => {
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

test('leaves a key to whoever waits with it already, and other keys alone', async () => {
  const { done, waits, patient, turn } = play();
  void patient('a');
  await turn();
  await patient('a');
  void patient('b');
  await turn();
  expect([done, waits.length]).toEqual([['a', 'b'], 2]);
});

test('two that fail side by side wait as one', async () => {
  const { waits, patient, turn } = play();
  void patient('a');
  await patient('a');
  await turn();
  expect(waits).toHaveLength(1);
});

test('ends when it is told to', async () => {
  const { done, closing, patient, turn } = play();
  const ended = patient('a');
  await turn();
  closing.abort();
  await ended;
  expect(done).toEqual(['a']);
});
