import { expect, test } from 'vitest';
import { createSemaphore } from '../../../src/lib/async/semaphore.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('as many tasks run at once as there are permits, the others in the order in which they came', async () => {
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

test('a task that fails gives its permit back', async () => {
  const limited = createSemaphore(1);
  await expect(limited(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(limited(async () => 'yes')).resolves.toBe('yes');
});
