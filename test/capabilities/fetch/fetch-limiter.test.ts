import { expect, test } from 'vitest';
import { createFetchLimiter } from '../../../src/capabilities/fetch/fetch-limiter.ts';

const times = (count: number, act: () => void) => {
  for (let index = 0; index < count; index += 1) act();
};

test('the fetch limiter allows 64 fetches at a time per module', () => {
  const meter = createFetchLimiter(() => 0);
  times(64, () => expect(meter.acquire('a')).toBeUndefined());
  expect(meter.acquire('a')).toBe('concurrency');
  expect(meter.acquire('b')).toBeUndefined();
  meter.release('a');
  expect(meter.acquire('a')).toBeUndefined();
});

test('the fetch limiter allows 12,000 fetches a minute', () => {
  let time = 0;
  const meter = createFetchLimiter(() => time);
  const once = () => {
    const refused = meter.acquire('a');
    if (refused === undefined) meter.release('a');
    return refused;
  };
  times(12_000, () => expect(once()).toBeUndefined());
  time = 59_999;
  expect(once()).toBe('rate');
  time = 60_000;
  expect(once()).toBeUndefined();
});

test('the fetch limiter still counts fetches in flight after a minute', () => {
  let time = 0;
  const meter = createFetchLimiter(() => time);
  times(64, () => meter.acquire('a'));
  time = 61_000;
  expect(meter.acquire('a')).toBe('concurrency');
  times(64, () => meter.release('a'));
  times(64, () => expect(meter.acquire('a')).toBeUndefined());
  expect(meter.acquire('a')).toBe('concurrency');
});
