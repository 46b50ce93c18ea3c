import { expect, test } from 'vitest';
import { pause } from '../../../src/lib/async/pause.ts';

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
