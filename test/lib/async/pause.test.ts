import { expect, test } from 'vitest';
import { pause } from '../../../src/lib/async/pause.ts';

test('lasts as long as it was told to', async () => {
  const began = performance.now();
  await pause(20, new AbortController().signal);
  expect(performance.now() - began).toBeGreaterThanOrEqual(19);
});

test('ends when it is cut short, before or meanwhile', async () => {
  const ended = new AbortController();
  const waiting = pause(3_600_000, ended.signal);
  ended.abort();
  await waiting;
  await pause(3_600_000, ended.signal);
});
