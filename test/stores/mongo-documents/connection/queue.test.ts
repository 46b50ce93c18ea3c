import { expect, it } from 'vitest';
import { createDeadline } from '../../../../src/stores/mongo-documents/connection/deadlines.ts';
import { createQueue } from '../../../../src/stores/mongo-documents/connection/queue.ts';
import { rejection } from '../connections.ts';

const endless = createDeadline(Number.POSITIVE_INFINITY, Date.now);

it('lets in who waits longest, and tells where nobody waits', async () => {
  const queue = createQueue();
  const order: number[] = [];
  const waiting = [0, 1].map((n) => queue.wait(endless).then(() => order.push(n)));
  expect(queue.size()).toBe(2);
  expect([queue.next(), queue.next(), queue.next()]).toEqual([true, true, false]);
  await Promise.all(waiting);
  expect(order).toEqual([0, 1]);
});

it('forgets who has gone at the deadline', async () => {
  const queue = createQueue();
  const late = queue.wait(createDeadline(Date.now() + 5, Date.now));
  expect(await rejection(late)).toMatchObject({ reason: 'timeout' });
  expect([queue.size(), queue.next()]).toEqual([0, false]);
});

it('sends everybody away when it closes', async () => {
  const queue = createQueue();
  const waiting = [0, 1].map(() => rejection(queue.wait(endless)));
  queue.close();
  expect(await Promise.all(waiting)).toMatchObject([{ reason: 'unavailable' }, { reason: 'unavailable' }]);
});
