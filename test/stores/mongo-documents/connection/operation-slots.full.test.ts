import { expect, it } from 'vitest';
import {
  createDeadline,
  createOperationSlots,
  createWaitQueue,
  isLongerClass,
  type OperationClass,
} from '../../../../src/stores/mongo-documents/connection/operation-slots.ts';
import { threadCpuMs } from '../../../../src/workers/match-patterns.ts';
import { rejection } from '../connections.ts';

const endless = createDeadline(Number.POSITIVE_INFINITY, Date.now);
const ALL: readonly OperationClass[] = ['lookup', 'write', 'query', 'count', 'scan', 'page'];

/** Lanes that many of each kind ask for at once, and who has come in so far. */
async function crowd(places: number, typeProbe: readonly OperationClass[], many = 200) {
  const slots = createOperationSlots(places);
  const inside: OperationClass[] = [];
  for (const operationClass of typeProbe) {
    for (let n = 0; n < many; n += 1) {
      slots.acquire(operationClass, endless).then(
        () => inside.push(operationClass),
        () => undefined,
      );
    }
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  await turn();
  return {
    slots,
    inside,
    turn,
    count: (operationClass: OperationClass) => inside.filter((one) => one === operationClass).length,
  };
}

it.each([1, 2, 7, 17, 97])('at most %i operations have a slot', async (places) => {
  const { inside } = await crowd(places, ALL);
  expect(inside).toHaveLength(places);
});

it.each([2, 4, 7, 17, 97])('of %i slots some are reserved for lookups beside slow work', async (places) => {
  const { slots, count } = await crowd(places, ['page', 'scan', 'count', 'query', 'write']);
  await slots.acquire('lookup', endless);
  expect(count('scan')).toBeLessThanOrEqual(Math.max(2, places / 32));
  expect(count('page')).toBeLessThanOrEqual(2);
});

it.each([
  [3, 1],
  [97, 24],
])('of %i slots %i are reserved for writes beside many reads', async (places, free) => {
  const { slots } = await crowd(places, ['lookup', 'page', 'scan', 'count', 'query']);
  for (let n = 0; n < free; n += 1) await slots.acquire('write', endless);
});

it('unreserved slots go to any class', async () => {
  const { count } = await crowd(97, ['lookup']);
  expect(count('lookup')).toBe(97 - 24 - 12 - 1 - 3 - 2);
});

it('waiters of all classes are admitted in turn', async () => {
  const { slots, inside, turn } = await crowd(2, ALL, 10);
  for (let left = 0; left < 59; left += 1) {
    slots.release(inside[left] as OperationClass);
    await turn();
  }
  expect(inside).toHaveLength(60);
  for (const operationClass of ALL) expect(inside.slice(0, 30)).toContain(operationClass);
});

it('closing the slots rejects all waiters', async () => {
  const slots = createOperationSlots(1);
  await slots.acquire('lookup', endless);
  const waiting = ALL.map((operationClass) => rejection(slots.acquire(operationClass, endless)));
  slots.close();
  for (const error of await Promise.all(waiting)) expect(error).toMatchObject({ reason: 'unavailable' });
});

it('operation classes are ordered by duration', () => {
  expect([
    isLongerClass('page', 'scan'),
    isLongerClass('scan', 'scan'),
    isLongerClass('lookup', 'query'),
  ]).toEqual([true, false, false]);
});

it('the wait queue admits the longest waiter first', async () => {
  const queue = createWaitQueue();
  const order: number[] = [];
  const waiting = [0, 1].map((n) => queue.wait(endless).then(() => order.push(n)));
  expect(queue.size()).toBe(2);
  expect([queue.admitNext(), queue.admitNext(), queue.admitNext()]).toEqual([true, true, false]);
  await Promise.all(waiting);
  expect(order).toEqual([0, 1]);
});

it('the wait queue drops a waiter at its deadline', async () => {
  const queue = createWaitQueue();
  const late = queue.wait(createDeadline(Date.now() + 5, Date.now));
  expect(await rejection(late)).toMatchObject({ reason: 'timeout' });
  expect([queue.size(), queue.admitNext()]).toEqual([0, false]);
});

it('closing the wait queue rejects all waiters', async () => {
  const queue = createWaitQueue();
  const waiting = [0, 1].map(() => rejection(queue.wait(endless)));
  queue.close();
  expect(await Promise.all(waiting)).toMatchObject([{ reason: 'unavailable' }, { reason: 'unavailable' }]);
});

it('the wait queue admits many waiters quickly', async () => {
  const queue = createWaitQueue();
  const waiting = Array.from({ length: 100_000 }, () => queue.wait(endless));
  const began = threadCpuMs();
  for (const _ of waiting) queue.admitNext();
  expect(threadCpuMs() - began).toBeLessThan(2000);
  await Promise.all(waiting);
});

it('a deadline returns the remaining milliseconds and throws timeout once it has passed', () => {
  let now = 1000;
  const deadline = createDeadline(1500, () => now);
  expect(deadline.remainingMs()).toBe(500);
  deadline.assertNotPassed();
  now = 1500;
  expect(deadline.remainingMs()).toBe(0);
  expect(() => deadline.assertNotPassed()).toThrow(expect.objectContaining({ reason: 'timeout' }));
});

it('a deadline that expired has passed, whatever the clock says', () => {
  const deadline = createDeadline(1000, () => 999);
  deadline.expire();
  expect(deadline.remainingMs()).toBe(0);
  expect(() => deadline.assertNotPassed()).toThrow(expect.objectContaining({ reason: 'timeout' }));
});

it('a deadline at Infinity never passes', () => {
  expect(createDeadline(Number.POSITIVE_INFINITY, Date.now).remainingMs()).toBe(Number.POSITIVE_INFINITY);
});
