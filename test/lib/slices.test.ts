import { expect, test } from 'vitest';
import { mapInSlices } from '../../src/lib/slices.ts';

test('maps in order, with positions', async () => {
  expect(await mapInSlices(['a', 'b'], (item, index) => `${item}${index}`)).toEqual(['a0', 'b1']);
  expect(await mapInSlices([], () => 1)).toEqual([]);
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
  await mapInSlices(Array.from({ length: 100 }), spin);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
});

test('ends at the first error', async () => {
  const boom = () => {
    throw new Error('boom');
  };
  await expect(mapInSlices([1], boom)).rejects.toThrow('boom');
});
