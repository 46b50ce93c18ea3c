// The memory that renderings share.
import { expect, it } from 'vitest';
import { createMemoryQuota } from '../../../src/delivery/images/memory-quota.ts';

it('the memory quota grants what fits, in order, and a double release counts once', async () => {
  const quota = createMemoryQuota(10);
  const order: string[] = [];
  const take = async (name: string, bytes: number) => {
    const giveBack = await quota(bytes);
    order.push(name);
    return giveBack;
  };
  const first = await take('first', 6);
  const second = take('second', 6);
  const third = take('third', 1);
  await Promise.resolve();
  expect(order).toEqual(['first']);
  first();
  first();
  (await second)();
  await third;
  expect(order).toEqual(['first', 'second', 'third']);
  const fourth = take('fourth', 10);
  await Promise.resolve();
  expect(order).toHaveLength(3);
  (await third)();
  await fourth;
});

it('a request above the whole memory quota takes all of it', async () => {
  const quota = createMemoryQuota(10);
  const giveBack = await quota(1000);
  giveBack();
  await quota(10);
});
