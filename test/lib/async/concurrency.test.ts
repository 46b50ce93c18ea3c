import { expect, test } from 'vitest';
import { mapConcurrent } from '../../../src/lib/async/concurrency.ts';

test('mapConcurrent keeps the order of the items, whichever ends first', async () => {
  const gates = [0, 1, 2].map(() => Promise.withResolvers<string>());
  const all = mapConcurrent([0, 1, 2], 3, (n) => gates[n]!.promise);
  gates[2]!.resolve('c');
  gates[0]!.resolve('a');
  gates[1]!.resolve('b');
  expect(await all).toEqual(['a', 'b', 'c']);
});

test('mapConcurrent runs no more tasks at once than its limit', async () => {
  let running = 0;
  let most = 0;
  await mapConcurrent([...Array(20).keys()], 3, async () => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
  });
  expect(most).toBe(3);
});

test('a failure rejects mapConcurrent, and no further task begins', async () => {
  const begun: number[] = [];
  const all = mapConcurrent([0, 1, 2, 3, 4, 5], 2, async (n) => {
    begun.push(n);
    if (n === 1) throw new Error('no');
    await Promise.resolve();
    await Promise.resolve();
  });
  await expect(all).rejects.toThrow('no');
  expect(begun).toEqual([0, 1]);
});

test('mapConcurrent of an empty list resolves at once', async () => {
  expect(await mapConcurrent([], 3, async () => 1)).toEqual([]);
});
