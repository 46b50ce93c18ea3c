import { expect, test } from 'vitest';
import {
  createYielder,
  mapYielding,
  startAllYielding,
  yieldToEventLoop,
} from '../../../src/lib/async/yielding.ts';

test('maps in order, with positions', async () => {
  expect(await mapYielding(['a', 'b'], (item, index) => `${item}${index}`)).toEqual(['a0', 'b1']);
  expect(await mapYielding([], () => 1)).toEqual([]);
});

test('lets the event loop turn while it runs', async () => {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  const spin = () => {
    const end = performance.now() + 1;
    while (performance.now() < end);
  };
  await mapYielding(Array.from({ length: 100 }), spin);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
});

test('ends at the first error', async () => {
  const boom = () => {
    throw new Error('boom');
  };
  await expect(mapYielding([1], boom)).rejects.toThrow('boom');
});

test('begins all work before it awaits any, and no failure goes unhandled meanwhile', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', note);
  const begun: number[] = [];
  const begin = async (_item: unknown, index: number) => {
    begun.push(index);
    const end = performance.now() + 1;
    while (performance.now() < end);
    if (index < 2) throw new Error(`boom ${index}`);
    return index;
  };
  await expect(startAllYielding(Array.from({ length: 20 }), begin)).rejects.toThrow('boom 0');
  process.off('unhandledRejection', note);
  expect([begun.length, unhandled]).toEqual([20, []]);
  expect(await startAllYielding([1, 2], async (item) => item * 2)).toEqual([2, 4]);
});

test('a pace asks for a turn once its steps have taken their time, and begins anew then', async () => {
  const pace = createYielder();
  expect(pace()).toBeUndefined();
  const end = performance.now() + 4;
  while (performance.now() < end);
  let turned = false;
  setImmediate(() => {
    turned = true;
  });
  // The clock is not read at every step.
  for (let step = 0; step < 16; step += 1) await pace();
  expect(turned).toBe(true);
});

test('the next turn comes behind what waits already', async () => {
  const order: string[] = [];
  setImmediate(() => order.push('first'));
  await yieldToEventLoop();
  expect(order).toEqual(['first']);
});
