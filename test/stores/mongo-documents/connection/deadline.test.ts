import { expect, it } from 'vitest';
import { createDeadline, withTimeout } from '../../../../src/stores/mongo-documents/connection/deadline.ts';

const late = () => new Error('late');

it('tells what is left, and refuses past it', () => {
  let now = 1000;
  const deadline = createDeadline(1500, () => now);
  expect(deadline.remainingMs()).toBe(500);
  deadline.assertNotPassed();
  now = 1500;
  expect(deadline.remainingMs()).toBe(0);
  expect(() => deadline.assertNotPassed()).toThrow(expect.objectContaining({ reason: 'timeout' }));
});

it('has no end at infinity', () => {
  expect(createDeadline(Number.POSITIVE_INFINITY, Date.now).remainingMs()).toBe(Number.POSITIVE_INFINITY);
});

it.each([20, 2 ** 40, Number.POSITIVE_INFINITY])('gives what work gives within %d ms', async (ms) => {
  expect(await withTimeout(Promise.resolve(1), ms, late)).toBe(1);
  await expect(withTimeout(Promise.reject(new Error('no')), ms, late)).rejects.toThrow('no');
});

it.each([5, 0, -5])(
  'does not wait longer than %d ms, and lets nothing that comes later escape',
  async (ms) => {
    const { promise, reject } = Promise.withResolvers<never>();
    await expect(withTimeout(promise, ms, late)).rejects.toThrow('late');
    // An unhandled rejection would end the run.
    reject(new Error('later'));
  },
);
