import { expect, it } from 'vitest';
import {
  createQueryCosts,
  maxShortPageBytes,
} from '../../../../src/stores/mongo-documents/query/query-costs.ts';
import type { QueryShape } from '../../../../src/stores/mongo-documents/query/query-shape.ts';

const MB = 1_048_576;
const kind = (operationClass: QueryShape['operationClass'], limit = 10, quickMs = 100): QueryShape => ({
  fastMs: quickMs,
  namespace: '.books',
  key: `${operationClass} ${limit}`,
  limit,
  operationClass: operationClass,
});
const cost = (ms: number, bytes = 100, documents = 1) => ({ ms, bytes, documents });

it('a possible scan is a scan until it was fast', () => {
  const costs = createQueryCosts();
  costs.record(kind('lookup'), cost(1));
  expect(costs.classOf(kind('scan'))).toBe('scan');
  costs.record(kind('scan'), cost(3));
  expect(costs.classOf(kind('scan'))).toBe('query');
  costs.record(kind('scan'), cost(500));
  expect(costs.classOf(kind('scan'))).toBe('scan');
  // Once slow, it has to be quick several times.
  costs.record(kind('scan'), cost(3));
  expect(costs.classOf(kind('scan'))).toBe('scan');
  for (let times = 0; times < 3; times += 1) costs.record(kind('scan'), cost(3));
  expect(costs.classOf(kind('scan'))).toBe('query');
});

it('an indexed query is a scan only if it is very slow', () => {
  const costs = createQueryCosts();
  const [indexed, first] = [kind('query', 10, 1000), kind('query', 11, Number.POSITIVE_INFINITY)];
  for (const [ms, expected] of [
    [500, 'query'],
    [3000, 'scan'],
  ] as const) {
    costs.record(indexed, cost(ms));
    costs.record(first, cost(ms));
    expect([costs.classOf(indexed), costs.classOf(first)]).toEqual([expected, 'query']);
  }
});

it('pages of large documents are expected to be long', () => {
  const costs = createQueryCosts();
  expect(costs.classOf(kind('query'))).toBe('scan');
  costs.record(kind('lookup'), cost(1, MB / 20));
  expect(costs.classOf(kind('query', 10))).toBe('query');
  expect(costs.classOf(kind('query', 30))).toBe('scan');
});

it('a long page counts as long until it was short several times', () => {
  const costs = createQueryCosts();
  costs.record(kind('query'), cost(5, 3 * MB, 10));
  expect(costs.classOf(kind('query'))).toBe('page');
  expect(costs.expectedBytes(kind('query'))).toBe(3 * MB);
  for (let times = 0; times < 2; times += 1) costs.record(kind('query'), cost(5));
  expect(costs.classOf(kind('query'))).toBe('query');
});

it('reads by id are lookups unless their documents are huge', () => {
  const costs = createQueryCosts();
  expect(maxShortPageBytes(kind('lookup'))).toBe(4 * MB);
  costs.record(kind('lookup'), cost(9000, 2 * MB));
  expect(costs.classOf(kind('lookup'))).toBe('lookup');
  costs.record(kind('lookup'), cost(1, 9 * MB));
  expect(costs.classOf(kind('lookup'))).toBe('page');
});

it('counts of whole collections are slow until they were fast', () => {
  const costs = createQueryCosts();
  expect(costs.classOf(kind('count'))).toBe('count');
  costs.record(kind('count'), cost(3, 0, 0));
  expect(costs.classOf(kind('count'))).toBe('query');
  costs.record(kind('count'), cost(200, 0, 0));
  expect(costs.classOf(kind('count'))).toBe('count');
});

it('a query without statistics is classified by its shape', () => {
  const costs = createQueryCosts();
  const unknown = { ...kind('scan'), key: undefined };
  costs.record(unknown, cost(1));
  expect(costs.classOf(unknown)).toBe('scan');
  expect(costs.expectedBytes(unknown)).toBe(0);
});
