import { expect, it } from 'vitest';
import { type Filter, type FilterTest, MATCH_ALL } from '../../../../src/stores/filter.ts';
import {
  createQueryCosts,
  maxShortPageBytes,
  type QueryShape,
  shapeOfCount,
  shapeOfFind,
} from '../../../../src/stores/mongo-documents/query/query-costs.ts';
import type { FindQuery } from '../../../../src/stores/ports.ts';
import { BOOKS, index, query } from '../../../contracts/store-cases.ts';

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

const KNOWN = [
  {
    definition: index('byTitle', { title: 1 }),
    name: 'title_1',
    endsInId: true,
    isUnique: false,
    hasReadyShadow: false,
  },
];
const field = (path: string, ...tests: FilterTest[]): Filter => ({ kind: 'field', path, tests });
const both = (...filters: Filter[]): Filter => ({ kind: 'and', filters });
const ids = (many: number) =>
  field('_id', { kind: 'in', values: Array.from({ length: many }, (_, n) => `${n}`) });
const regex = (pattern: string) => field('text', { kind: 'regex', pattern, flags: '' });
const classOf = (parts: Partial<FindQuery>, ns = BOOKS) =>
  shapeOfFind(ns, query(parts), KNOWN).operationClass;
const keyOf = (parts: Partial<FindQuery>) => shapeOfFind(BOOKS, query(parts), KNOWN).key;

it.each<[string, Partial<FindQuery>]>([
  ['lookup', { filter: field('_id', { kind: 'eq', value: 'a' }) }],
  ['lookup', { filter: both(regex('x'), field('_id', { kind: 'eq', value: 'a' })) }],
  ['lookup', { filter: ids(100) }],
  ['query', { filter: ids(101) }],
  ['query', { filter: MATCH_ALL }],
  ['query', { filter: MATCH_ALL, sort: [['title', 1]] }],
  ['query', { filter: field('title', { kind: 'eq', value: 'a', caseInsensitive: true }) }],
  ['query', { filter: both(regex('x'), field('title', { kind: 'in', values: ['a'] })) }],
  ['scan', { filter: MATCH_ALL, sort: [['pages', 1]] }],
  ['scan', { filter: MATCH_ALL, skip: 5000 }],
  ['scan', { filter: regex('x') }],
  ['scan', { filter: field('pages', { kind: 'eq', value: 1 }) }],
  ['scan', { filter: field('title', { kind: 'ne', value: 'a' }) }],
  ['scan', { filter: { kind: 'or', filters: [field('title', { kind: 'eq', value: 'a' }), regex('x')] } }],
])('a read is a %s: %j', (operationClass, parts) => {
  expect(classOf(parts)).toBe(operationClass);
});

it('the more an index helps, the longer a read may take', () => {
  const quickMs = (parts: Partial<FindQuery>) => shapeOfFind(BOOKS, query(parts), KNOWN).fastMs;
  const title = field('title', { kind: 'eq', value: 'a' });
  expect([{ filter: regex('x') }, { filter: title }, { filter: MATCH_ALL }].map(quickMs)).toEqual([
    100,
    1000,
    Number.POSITIVE_INFINITY,
  ]);
});

it('reads of reserved collections are short', () => {
  const own = { database: null, collection: 'cloister.clients' };
  expect(classOf({ filter: field('title', { kind: 'eq', value: 'a' }) }, own)).toBe('lookup');
  expect(classOf({ filter: field('other', { kind: 'eq', value: 'a' }) }, own)).toBe('scan');
});

it('counts have shapes of their own', () => {
  const laneOfCount = (filter: Filter) => shapeOfCount(BOOKS, filter, KNOWN).operationClass;
  expect(
    [MATCH_ALL, ids(1), field('title', { kind: 'eq', value: 'a' }), regex('x')].map(laneOfCount),
  ).toEqual(['count', 'lookup', 'query', 'scan']);
});

it('queries of one shape differ only in values', () => {
  const eq = (path: string, value: string) => ({ filter: field(path, { kind: 'eq', value }) });
  expect(keyOf(eq('a', 'x'))).toBe(keyOf(eq('a', 'y')));
  for (const other of [eq('b', 'x'), { ...eq('a', 'x'), limit: 7 }, { ...eq('a', 'x'), skip: 9000 }]) {
    expect(keyOf(other)).not.toBe(keyOf(eq('a', 'x')));
  }
  expect(keyOf({ filter: regex('one') })).not.toBe(keyOf({ filter: regex('other') }));
  expect(keyOf({ filter: regex('long'.repeat(1000)) })).toBeUndefined();
});
