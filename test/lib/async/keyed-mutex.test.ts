import { expect, test } from 'vitest';
import { createKeyedMutex } from '../../../src/lib/async/keyed-mutex.ts';

test('tasks of one key wait for each other, also after a failure; other keys do not wait', async () => {
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

test('a key is free again when its last task has ended', async () => {
  const queue = createKeyedMutex();
  expect(await queue.withLock('a', async () => 1)).toBe(1);
  expect(await queue.withLock('a', async () => 2)).toBe(2);
});
