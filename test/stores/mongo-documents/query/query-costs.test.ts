import { expect, it } from 'vitest';
import {
  createQueryCosts,
  maxShortPageBytes,
} from '../../../../src/stores/mongo-documents/query/query-costs.ts';
import type { QueryShape } from '../../../../src/stores/mongo-documents/query/query-shape.ts';

const MB = 1_048_576;
const kind = (lane: QueryShape['operationClass'], limit = 10, quickMs = 100): QueryShape => ({
  fastMs: quickMs,
  namespace: '.books',
  key: `${lane} ${limit}`,
  limit,
  operationClass: lane,
});
const cost = (ms: number, bytes = 100, documents = 1) => ({ ms, bytes, documents });

it('what may scan runs beside a few until it was quick', () => {
  const workload = createQueryCosts();
  workload.record(kind('lookup'), cost(1));
  expect(workload.classOf(kind('scan'))).toBe('scan');
  workload.record(kind('scan'), cost(3));
  expect(workload.classOf(kind('scan'))).toBe('query');
  workload.record(kind('scan'), cost(500));
  expect(workload.classOf(kind('scan'))).toBe('scan');
  // Once slow, it has to be quick several times.
  workload.record(kind('scan'), cost(3));
  expect(workload.classOf(kind('scan'))).toBe('scan');
  for (let times = 0; times < 3; times += 1) workload.record(kind('scan'), cost(3));
  expect(workload.classOf(kind('scan'))).toBe('query');
});

it('where an index helps, only what takes very long counts as a scan', () => {
  const workload = createQueryCosts();
  const [indexed, first] = [kind('query', 10, 1000), kind('query', 11, Number.POSITIVE_INFINITY)];
  for (const [ms, expected] of [
    [500, 'query'],
    [3000, 'scan'],
  ] as const) {
    workload.record(indexed, cost(ms));
    workload.record(first, cost(ms));
    expect([workload.classOf(indexed), workload.classOf(first)]).toEqual([expected, 'query']);
  }
});

it('pages are taken for long where documents of the collection would make them so', () => {
  const workload = createQueryCosts();
  expect(workload.classOf(kind('query'))).toBe('scan');
  workload.record(kind('lookup'), cost(1, MB / 20));
  expect(workload.classOf(kind('query', 10))).toBe('query');
  expect(workload.classOf(kind('query', 30))).toBe('scan');
});

it('what was a long page is one until it was short several times', () => {
  const workload = createQueryCosts();
  workload.record(kind('query'), cost(5, 3 * MB, 10));
  expect(workload.classOf(kind('query'))).toBe('page');
  expect(workload.expectedBytes(kind('query'))).toBe(3 * MB);
  for (let times = 0; times < 2; times += 1) workload.record(kind('query'), cost(5));
  expect(workload.classOf(kind('query'))).toBe('query');
});

it('reads by id stay what they are, unless their documents are huge', () => {
  const workload = createQueryCosts();
  expect(maxShortPageBytes(kind('lookup'))).toBe(4 * MB);
  workload.record(kind('lookup'), cost(9000, 2 * MB));
  expect(workload.classOf(kind('lookup'))).toBe('lookup');
  workload.record(kind('lookup'), cost(1, 9 * MB));
  expect(workload.classOf(kind('lookup'))).toBe('page');
});

it('counts of whole collections run beside a few others until they were quick', () => {
  const workload = createQueryCosts();
  expect(workload.classOf(kind('count'))).toBe('count');
  workload.record(kind('count'), cost(3, 0, 0));
  expect(workload.classOf(kind('count'))).toBe('query');
  workload.record(kind('count'), cost(200, 0, 0));
  expect(workload.classOf(kind('count'))).toBe('count');
});

it('what is not remembered is what it looks like', () => {
  const workload = createQueryCosts();
  const unknown = { ...kind('scan'), key: undefined };
  workload.record(unknown, cost(1));
  expect(workload.classOf(unknown)).toBe('scan');
  expect(workload.expectedBytes(unknown)).toBe(0);
});
