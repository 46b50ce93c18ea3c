import { expect, it } from 'vitest';
import { createDeadline } from '../../../../src/stores/mongo-documents/connection/deadline.ts';

it('a deadline returns the remaining milliseconds and throws timeout once it has passed', () => {
  let now = 1000;
  const deadline = createDeadline(1500, () => now);
  expect(deadline.remainingMs()).toBe(500);
  deadline.assertNotPassed();
  now = 1500;
  expect(deadline.remainingMs()).toBe(0);
  expect(() => deadline.assertNotPassed()).toThrow(expect.objectContaining({ reason: 'timeout' }));
});

it('a deadline at Infinity never passes', () => {
  expect(createDeadline(Number.POSITIVE_INFINITY, Date.now).remainingMs()).toBe(Number.POSITIVE_INFINITY);
});
