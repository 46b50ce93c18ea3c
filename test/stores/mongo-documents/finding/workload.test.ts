import { expect, it } from 'vitest';
import type { Kind } from '../../../../src/stores/mongo-documents/finding/kinds.ts';
import { createWorkload, shortPageOf } from '../../../../src/stores/mongo-documents/finding/workload.ts';

const MB = 1_048_576;
const kind = (lane: Kind['lane'], limit = 10, quickMs = 100): Kind => ({
  quickMs,
  space: '.books',
  key: `${lane} ${limit}`,
  limit,
  lane,
});
const cost = (ms: number, bytes = 100, documents = 1) => ({ ms, bytes, documents });

it('what may scan runs beside a few until it was quick', () => {
  const workload = createWorkload();
  workload.saw(kind('lookup'), cost(1));
  expect(workload.laneOf(kind('scan'))).toBe('scan');
  workload.saw(kind('scan'), cost(3));
  expect(workload.laneOf(kind('scan'))).toBe('query');
  workload.saw(kind('scan'), cost(500));
  expect(workload.laneOf(kind('scan'))).toBe('scan');
  // Once slow, it has to be quick several times.
  workload.saw(kind('scan'), cost(3));
  expect(workload.laneOf(kind('scan'))).toBe('scan');
  for (let times = 0; times < 3; times += 1) workload.saw(kind('scan'), cost(3));
  expect(workload.laneOf(kind('scan'))).toBe('query');
});

it('where an index helps, only what takes very long counts as a scan', () => {
  const workload = createWorkload();
  const [indexed, first] = [kind('query', 10, 1000), kind('query', 11, Number.POSITIVE_INFINITY)];
  for (const [ms, expected] of [
    [500, 'query'],
    [3000, 'scan'],
  ] as const) {
    workload.saw(indexed, cost(ms));
    workload.saw(first, cost(ms));
    expect([workload.laneOf(indexed), workload.laneOf(first)]).toEqual([expected, 'query']);
  }
});

it('pages are taken for long where documents of the collection would make them so', () => {
  const workload = createWorkload();
  expect(workload.laneOf(kind('query'))).toBe('scan');
  workload.saw(kind('lookup'), cost(1, MB / 20));
  expect(workload.laneOf(kind('query', 10))).toBe('query');
  expect(workload.laneOf(kind('query', 30))).toBe('scan');
});

it('what was a long page is one until it was short several times', () => {
  const workload = createWorkload();
  workload.saw(kind('query'), cost(5, 3 * MB, 10));
  expect(workload.laneOf(kind('query'))).toBe('page');
  expect(workload.bytesOf(kind('query'))).toBe(3 * MB);
  for (let times = 0; times < 2; times += 1) workload.saw(kind('query'), cost(5));
  expect(workload.laneOf(kind('query'))).toBe('query');
});

it('reads by id stay what they are, unless their documents are huge', () => {
  const workload = createWorkload();
  expect(shortPageOf(kind('lookup'))).toBe(4 * MB);
  workload.saw(kind('lookup'), cost(9000, 2 * MB));
  expect(workload.laneOf(kind('lookup'))).toBe('lookup');
  workload.saw(kind('lookup'), cost(1, 9 * MB));
  expect(workload.laneOf(kind('lookup'))).toBe('page');
});

it('counts of whole collections run beside a few others until they were quick', () => {
  const workload = createWorkload();
  expect(workload.laneOf(kind('count'))).toBe('count');
  workload.saw(kind('count'), cost(3, 0, 0));
  expect(workload.laneOf(kind('count'))).toBe('query');
  workload.saw(kind('count'), cost(200, 0, 0));
  expect(workload.laneOf(kind('count'))).toBe('count');
});

it('what is not remembered is what it looks like', () => {
  const workload = createWorkload();
  const unknown = { ...kind('scan'), key: undefined };
  workload.saw(unknown, cost(1));
  expect(workload.laneOf(unknown)).toBe('scan');
  expect(workload.bytesOf(unknown)).toBe(0);
});
