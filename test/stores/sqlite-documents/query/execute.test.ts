import { describe, expect, it } from 'vitest';
import { type Filter, type FilterTest, MATCH_ALL } from '../../../../src/stores/filter.ts';
import type { FindQuery } from '../../../../src/stores/ports.ts';
import {
  createWorkLimit,
  WorkLimitExceeded,
} from '../../../../src/stores/sqlite-documents/data-file/connection.ts';
import {
  countMatches,
  createBoundedProjector,
  createQueryContext,
  textsOfQuery,
} from '../../../../src/stores/sqlite-documents/query/execute.ts';
import { textById } from '../../../../src/stores/sqlite-documents/query/fetch-documents.ts';
import type { Plan } from '../../../../src/stores/sqlite-documents/query/plan.ts';
import { idOf, indexOf, NO_LIMIT, NS, openTestDatabase, type TestDatabase } from '../test-database.ts';

const field = (path: string, ...tests: FilterTest[]): Filter => ({ kind: 'field', path, tests });

function find(bench: TestDatabase, parts: Partial<FindQuery>, workLimit = NO_LIMIT) {
  const plans: Plan[] = [];
  const query: FindQuery = { filter: MATCH_ALL, sort: [], skip: 0, limit: 100, ...parts };
  const accept = (plan: Plan) => plans.push(plan);
  const texts = textsOfQuery(createQueryContext(bench), NS, query, { workLimit, accept });
  return { numbers: texts.map((text) => JSON.parse(text).n as number), plan: plans[0]! };
}

function filled(count: number): TestDatabase {
  const bench = openTestDatabase();
  bench.index(indexOf({ path: 'n' }));
  bench.index(indexOf({ path: 'tags' }, { path: 'n', direction: -1 }));
  bench.fill(
    Array.from({ length: count }, (_, n) => ({ n, tags: n % 3 === 0 ? ['x', 'Y'] : 'z', odd: n % 2 })),
  );
  return bench;
}

describe('executing a query', () => {
  it('uses one index for filter and order', () => {
    const bench = filled(300);
    const filter = field('tags', { kind: 'eq', value: 'y', caseInsensitive: true });
    const { numbers, plan } = find(bench, { filter, sort: [['n', -1]], limit: 3 });
    expect(numbers).toEqual([297, 294, 291]);
    expect(plan).toMatchObject({
      access: { kind: 'index', index: { name: 'tags_n' } },
      exact: true,
      sorted: true,
    });
  });

  it('reads every text as it is stored, whatever characters it has', () => {
    const bench = openTestDatabase();
    const texts = ['\u{1e}', 'a\u{1e}b,{"c":1}', '\u{1f}\n', '', '\ud800', '\u{1f600}'];
    bench.fill(texts.map((text, n) => ({ n, text, [text]: n })));
    const query: FindQuery = { filter: MATCH_ALL, sort: [], skip: 0, limit: 100 };
    const found = textsOfQuery(createQueryContext(bench), NS, query, { workLimit: NO_LIMIT });
    expect(found.map((text) => JSON.parse(text).text)).toEqual(texts);
    expect(
      textsOfQuery(createQueryContext(bench), NS, { ...query, skip: 6 }, { workLimit: NO_LIMIT }),
    ).toEqual([]);
  });

  it('sorts in memory without an index for the order', () => {
    const { numbers, plan } = find(filled(50), {
      sort: [
        ['odd', -1],
        ['n', 1],
      ],
      skip: 1,
      limit: 3,
    });
    expect(numbers).toEqual([3, 5, 7]);
    expect(plan.sorted).toBe(false);
  });

  it('falls back from an ordered index that finds too little, with the same result', () => {
    const bench = filled(25_000);
    const filter = field('odd', { kind: 'eq', value: 7 });
    const { numbers, plan } = find(bench, { filter, sort: [['n', 1]] });
    expect(plan.fallback).toMatchObject({ access: { kind: 'scan' } });
    expect(numbers).toEqual([]);
  });

  it('ends when its work limit is exceeded and leaves no transaction open', () => {
    const bench = filled(300);
    const sort = [['odd', 1]] as const;
    expect(() =>
      find(
        bench,
        { sort },
        createWorkLimit(1000, 500, () => 0),
      ),
    ).toThrow(WorkLimitExceeded);
    expect(bench.connection.db.isTransaction).toBe(false);
  });

  it('counts in the index alone if that is exact', () => {
    const bench = filled(300);
    const count = (filter: Filter) =>
      countMatches(createQueryContext(bench), NS, filter, { workLimit: NO_LIMIT });
    expect(count(MATCH_ALL)).toBe(300);
    expect(count(field('n', { kind: 'gte', value: 290 }))).toBe(10);
    expect(count(field('tags', { kind: 'in', values: ['x', 'Y', 'z'] }))).toBe(300);
    expect(count(field('odd', { kind: 'eq', value: 1 }))).toBe(150);
    expect(count(field('n', { kind: 'in', values: [1, 1, 2] }))).toBe(2);
  });

  it('finds a document by its id', () => {
    const bench = filled(3);
    const context = createQueryContext(bench);
    expect(JSON.parse(textById(context, NS, idOf(2))!)).toMatchObject({ n: 1 });
    expect(textById(context, NS, idOf(9))).toBeUndefined();
    expect(textById(context, { database: 'x', collection: 'y' }, idOf(1))).toBeUndefined();
  });
});

describe('the results of a query', () => {
  const MEGABYTE = 1024 * 1024;

  it('returns the stored text, or the projected document', () => {
    expect(createBoundedProjector(undefined)('{"a": 1}')).toBe('{"a": 1}');
    expect(createBoundedProjector({ include: ['a'] })('{"_id":"x","a":1,"b":2}')).toBe('{"_id":"x","a":1}');
  });

  it('rejects a page that is too large after projection', () => {
    const text = JSON.stringify({ _id: 'x', a: 'a'.repeat(16 * MEGABYTE - 100), b: 1 });
    const project = createBoundedProjector(undefined);
    for (let n = 0; n < 4; n += 1) project(text);
    expect(() => project(text)).toThrow(expect.objectContaining({ reason: 'too-much' }));
    const projectSome = createBoundedProjector({ include: ['b'] });
    for (let n = 0; n < 6; n += 1) expect(projectSome(text)).toBe('{"_id":"x","b":1}');
  });
});
