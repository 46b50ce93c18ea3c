// The bound on what several renderings hold together.
import { expect, it } from 'vitest';
import { createMemoryQuota } from '../../../src/delivery/images/memory-quota.ts';

it('lets in what fits, in order, and what is given back twice counts once', async () => {
  const budget = createMemoryQuota(10);
  const order: string[] = [];
  const take = async (name: string, bytes: number) => {
    const giveBack = await budget(bytes);
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

it('counts more than there is as all of it', async () => {
  const budget = createMemoryQuota(10);
  const giveBack = await budget(1000);
  giveBack();
  await budget(10);
});
