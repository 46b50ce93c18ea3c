import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createBoundedHeap } from '../../../../src/stores/mongo-documents/query/bounded-heap.ts';

const ascending = (a: number, b: number) => a - b;

it('a bounded heap keeps the smallest items in order', async () => {
  const lists = fc.asyncProperty(fc.array(fc.integer()), fc.nat(12), async (items, size) => {
    const smallest = createBoundedHeap(size, ascending);
    for (const item of items) smallest.add(item);
    expect(await smallest.take()).toEqual(items.toSorted(ascending).slice(0, size));
    expect(await smallest.take()).toEqual([]);
  });
  await fc.assert(lists);
});

it('a bounded heap yields to the event loop', async () => {
  const smallest = createBoundedHeap(200_000, ascending);
  for (let n = 0; n < 200_000; n += 1) smallest.add((n * 7919) % 200_003);
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await smallest.take();
  isDone = true;
  expect(turns).toBeGreaterThan(3);
});
