import { expect, it } from 'vitest';
import { createDeadline } from '../../../../src/stores/mongo-documents/connection/deadlines.ts';
import { createGate } from '../../../../src/stores/mongo-documents/connection/gate.ts';
import { rejection } from '../connections.ts';

const endless = createDeadline(Number.POSITIVE_INFINITY, Date.now);
const soon = (ms: number) => createDeadline(Date.now() + ms, Date.now);

it('lets so many in at once, the others one after the other as places come free', async () => {
  const gate = createGate(2);
  const order: number[] = [];
  const entered = [0, 1, 2, 3].map((n) => gate.enter(endless).then(() => order.push(n)));
  await Promise.all(entered.slice(0, 2));
  expect(order).toEqual([0, 1]);
  gate.leave();
  await entered[2];
  gate.leave();
  await entered[3];
  expect(order).toEqual([0, 1, 2, 3]);
});

it('gives no place to somebody who has gone', async () => {
  const gate = createGate(1);
  await gate.enter(endless);
  expect(await rejection(gate.enter(soon(5)))).toMatchObject({ reason: 'timeout' });
  gate.leave();
  // The place that came free is there for the next one.
  await gate.enter(soon(1000));
});

it('sends everybody away when it closes', async () => {
  const gate = createGate(1);
  await gate.enter(endless);
  const waiting = [gate.enter(endless), gate.enter(soon(1000))].map(rejection);
  gate.close();
  expect(await Promise.all(waiting)).toMatchObject([{ reason: 'unavailable' }, { reason: 'unavailable' }]);
});

it('stays fast with many who wait', async () => {
  const gate = createGate(1);
  await gate.enter(endless);
  const many = Array.from({ length: 100_000 }, () => gate.enter(endless));
  const began = performance.now();
  for (const _ of many) gate.leave();
  expect(performance.now() - began).toBeLessThan(2000);
  await Promise.all(many);
});
