import { expect, test } from 'vitest';
import { createMeter } from '../../../../src/endpoints/capabilities/fetch/meter.ts';

const times = (count: number, act: () => void) => {
  for (let index = 0; index < count; index += 1) act();
};

test('64 at a time, for each module', () => {
  const meter = createMeter(() => 0);
  times(64, () => expect(meter.enter('a')).toBeUndefined());
  expect(meter.enter('a')).toBe('concurrency');
  expect(meter.enter('b')).toBeUndefined();
  meter.leave('a');
  expect(meter.enter('a')).toBeUndefined();
});

test('12,000 in a minute', () => {
  let time = 0;
  const meter = createMeter(() => time);
  const once = () => {
    const refused = meter.enter('a');
    if (refused === undefined) meter.leave('a');
    return refused;
  };
  times(12_000, () => expect(once()).toBeUndefined());
  time = 59_999;
  expect(once()).toBe('rate');
  time = 60_000;
  expect(once()).toBeUndefined();
});

test('what is in flight still counts when the minute is over', () => {
  let time = 0;
  const meter = createMeter(() => time);
  times(64, () => meter.enter('a'));
  time = 61_000;
  expect(meter.enter('a')).toBe('concurrency');
  times(64, () => meter.leave('a'));
  times(64, () => expect(meter.enter('a')).toBeUndefined());
  expect(meter.enter('a')).toBe('concurrency');
});
