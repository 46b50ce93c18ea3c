import { expect, test } from 'vitest';
import {
  createByteQuota,
  createKeyedMutex,
  createSemaphore,
  mapConcurrent,
} from '../../../src/lib/async/concurrency.ts';

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

test('a keyed mutex runs tasks of one key one by one, also after a failure; other keys do not wait', async () => {
  const queue = createKeyedMutex();
  const log: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = queue.withLock('a', async () => {
    await gate.promise;
    log.push('first');
    throw new Error('first failed');
  });
  const second = queue.withLock('a', async () => {
    log.push('second');
    return 2;
  });
  const other = queue.withLock('b', async () => {
    log.push('other');
  });
  await other;
  gate.resolve();
  await expect(first).rejects.toThrow('first failed');
  expect(await second).toBe(2);
  expect(log).toEqual(['other', 'first', 'second']);
});

test('a keyed mutex forgets a key when its last task has ended', async () => {
  const queue = createKeyedMutex();
  expect(await queue.withLock('a', async () => 1)).toBe(1);
  expect(await queue.withLock('a', async () => 2)).toBe(2);
});

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a semaphore runs as many tasks at once as it has permits, the others in order of arrival', async () => {
  const limited = createSemaphore(2);
  const begun: number[] = [];
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const tasks = gates.map(({ promise }, index) =>
    limited(async () => {
      begun.push(index);
      await promise;
      return index;
    }),
  );
  await settled();
  expect(begun).toEqual([0, 1]);
  gates[1]?.resolve();
  await settled();
  expect(begun).toEqual([0, 1, 2]);
  for (const { resolve } of gates) resolve();
  expect(await Promise.all(tasks)).toEqual([0, 1, 2, 3, 4]);
  expect(begun).toEqual([0, 1, 2, 3, 4]);
});

test('a task that fails releases its permit of the semaphore', async () => {
  const limited = createSemaphore(1);
  await expect(limited(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(limited(async () => 'yes')).resolves.toBe('yes');
});

test('a byte quota accepts what fits beside the bytes that are held, and anything when none are', () => {
  const budget = createByteQuota(10);
  expect(budget.fits(50)).toBe(true);
  budget.add(6);
  expect([budget.fits(4), budget.fits(5)]).toEqual([true, false]);
  budget.add(9);
  expect(budget.fits(0)).toBe(false);
  budget.add(-15);
  expect(budget.fits(50)).toBe(true);
});
