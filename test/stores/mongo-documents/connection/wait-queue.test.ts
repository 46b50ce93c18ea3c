import { expect, it } from 'vitest';
import { createDeadline } from '../../../../src/stores/mongo-documents/connection/deadline.ts';
import { createWaitQueue } from '../../../../src/stores/mongo-documents/connection/wait-queue.ts';
import { rejection } from '../connections.ts';

const endless = createDeadline(Number.POSITIVE_INFINITY, Date.now);

it('lets in who waits longest, and tells where nobody waits', async () => {
  const queue = createWaitQueue();
  const order: number[] = [];
  const waiting = [0, 1].map((n) => queue.wait(endless).then(() => order.push(n)));
  expect(queue.size()).toBe(2);
  expect([queue.admitNext(), queue.admitNext(), queue.admitNext()]).toEqual([true, true, false]);
  await Promise.all(waiting);
  expect(order).toEqual([0, 1]);
});

it('forgets who has gone at the deadline', async () => {
  const queue = createWaitQueue();
  const late = queue.wait(createDeadline(Date.now() + 5, Date.now));
  expect(await rejection(late)).toMatchObject({ reason: 'timeout' });
  expect([queue.size(), queue.admitNext()]).toEqual([0, false]);
});

it('sends everybody away when it closes', async () => {
  const queue = createWaitQueue();
  const waiting = [0, 1].map(() => rejection(queue.wait(endless)));
  queue.close();
  expect(await Promise.all(waiting)).toMatchObject([{ reason: 'unavailable' }, { reason: 'unavailable' }]);
});
