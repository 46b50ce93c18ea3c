import { expect, it } from 'vitest';
import { createDeadline } from '../../../../src/stores/mongo-documents/connection/deadline.ts';
import { createDeadlineSemaphore } from '../../../../src/stores/mongo-documents/connection/deadline-semaphore.ts';
import { rejection } from '../connections.ts';

const endless = createDeadline(Number.POSITIVE_INFINITY, Date.now);
const soon = (ms: number) => createDeadline(Date.now() + ms, Date.now);

it('lets so many in at once, the others one after the other as places come free', async () => {
  const gate = createDeadlineSemaphore(2);
  const order: number[] = [];
  const entered = [0, 1, 2, 3].map((n) => gate.acquire(endless).then(() => order.push(n)));
  await Promise.all(entered.slice(0, 2));
  expect(order).toEqual([0, 1]);
  gate.release();
  await entered[2];
  gate.release();
  await entered[3];
  expect(order).toEqual([0, 1, 2, 3]);
});

it('gives no place to somebody who has gone', async () => {
  const gate = createDeadlineSemaphore(1);
  await gate.acquire(endless);
  expect(await rejection(gate.acquire(soon(5)))).toMatchObject({ reason: 'timeout' });
  gate.release();
  // The place that came free is there for the next one.
  await gate.acquire(soon(1000));
});

it('sends everybody away when it closes', async () => {
  const gate = createDeadlineSemaphore(1);
  await gate.acquire(endless);
  const waiting = [gate.acquire(endless), gate.acquire(soon(1000))].map(rejection);
  gate.close();
  expect(await Promise.all(waiting)).toMatchObject([{ reason: 'unavailable' }, { reason: 'unavailable' }]);
});

it('stays fast with many who wait', async () => {
  const gate = createDeadlineSemaphore(1);
  await gate.acquire(endless);
  const many = Array.from({ length: 100_000 }, () => gate.acquire(endless));
  const began = performance.now();
  for (const _ of many) gate.release();
  expect(performance.now() - began).toBeLessThan(2000);
  await Promise.all(many);
});
