import { expect, it } from 'vitest';
import { type Filter, type FilterTest, MATCH_ALL } from '../../../../src/stores/filter.ts';
import { shapeOfCount, shapeOfFind } from '../../../../src/stores/mongo-documents/query/query-shape.ts';
import type { FindQuery } from '../../../../src/stores/ports.ts';
import { BOOKS, index, query } from '../../../contracts/store-cases.ts';

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
  ['query', { filter: field('title', { kind: 'eq', value: 'a', fold: true }) }],
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
