import { describe, expect, it } from 'vitest';
import { type Filter, type FilterTest, MATCH_ALL } from '../../../../src/stores/filter.ts';
import type { IndexDefinition, Sort } from '../../../../src/stores/ports.ts';
import { applyWrites } from '../../../../src/stores/sqlite-documents/commit/apply-writes.ts';
import {
  createCatalogue,
  inWriteTransaction,
} from '../../../../src/stores/sqlite-documents/data-file/catalogue.ts';
import {
  countMatches,
  createQueryContext,
  textsOfQuery,
} from '../../../../src/stores/sqlite-documents/query/execute.ts';
import type { Access } from '../../../../src/stores/sqlite-documents/query/index-access.ts';
import {
  createPlanner,
  MAX_SORTED_DOCUMENTS,
  type Plan,
  planQuery,
} from '../../../../src/stores/sqlite-documents/query/plan.ts';
import { idOf, indexOf, insertThing, NO_LIMIT, NS, openTestDatabase } from '../test-database.ts';

const field = (path: string, ...tests: FilterTest[]): Filter => ({ kind: 'field', path, tests });
const all = (...filters: Filter[]): Filter => ({ kind: 'and', filters });
const eq = (path: string, value: string | number) => field(path, { kind: 'eq', value });

/** Each index is said to hold as many entries for the filter as its name is given in `sizes`. */
function plan(
  filter: Filter,
  sort: Sort,
  definitions: IndexDefinition[] = [],
  sizes: Record<string, number> = {},
): Plan {
  const indexes = definitions.map((definition, at) => ({
    n: at + 1,
    name: definition.name,
    definition,
    ready: definition.name !== 'unready',
    watermark: 0,
    multikey: 0,
  }));
  return planQuery(filter, sort, {
    indexes,
    estimate: ({ index }) => Math.min(MAX_SORTED_DOCUMENTS, sizes[index.name] ?? 10),
  });
}

const nameOf = (access: Access) => (access.kind === 'index' ? access.index.name : access.kind);

describe('a plan', () => {
  it('prefers a lookup by ids', () => {
    const ids: Filter = field('_id', { kind: 'in', values: [idOf(2), 7, idOf(1), idOf(2)] });
    expect(plan(ids, [])).toEqual({
      access: { kind: 'ids', ids: [idOf(1), idOf(2)] },
      exact: true,
      sorted: true,
    });
    expect(plan(ids, [['_id', -1]]).access).toEqual({ kind: 'ids', ids: [idOf(2), idOf(1)] });
    expect(plan(all(ids, eq('a', 1)), [['a', 1]], [indexOf({ path: 'a' })])).toMatchObject({
      access: { kind: 'ids' },
      exact: false,
      sorted: false,
    });
  });

  it('scans ids in a range if the order is that of ids', () => {
    expect(plan(MATCH_ALL, [])).toMatchObject({
      access: { kind: 'id-scan', reversed: false, low: '' },
      exact: true,
      sorted: true,
    });
    expect(plan(eq('a', 1), [['_id', -1]])).toMatchObject({
      access: { kind: 'id-scan', reversed: true },
      exact: false,
    });
    const range = field('_id', { kind: 'gt', value: 'a' }, { kind: 'lte', value: 'c' });
    expect(plan(range, [])).toMatchObject({
      access: { kind: 'id-scan', low: 'a\0', high: 'c\0' },
      exact: true,
    });
    expect(plan(range, [['x', 1]])).toMatchObject({
      access: { kind: 'id-scan', low: 'a\0' },
      exact: true,
      sorted: false,
    });
  });

  it('scans everything else', () => {
    expect(plan(eq('a', 1), [['b', 1]])).toEqual({ access: { kind: 'scan' }, exact: false, sorted: false });
    expect(plan(MATCH_ALL, [['b', 1]])).toMatchObject({ access: { kind: 'scan' }, exact: true });
  });

  it('ignores indexes that are unfinished or of no use', () => {
    expect(nameOf(plan(eq('a', 1), [], [{ ...indexOf({ path: 'a' }), name: 'unready' }]).access)).toBe(
      'id-scan',
    );
    expect(nameOf(plan(eq('a', 1), [], [indexOf({ path: 'b' })]).access)).toBe('id-scan');
    expect(nameOf(plan(field('a', { kind: 'ne', value: 1 }), [], [indexOf({ path: 'a' })]).access)).toBe(
      'id-scan',
    );
  });

  it('chooses the index that reads fewest rows', () => {
    const both = [indexOf({ path: 'a' }), indexOf({ path: 'b' })];
    const filter = all(eq('a', 1), eq('b', 1));
    expect(nameOf(plan(filter, [['c', 1]], both, { a: 500, b: 5 }).access)).toBe('b');
    expect(nameOf(plan(filter, [['c', 1]], both, { a: 5, b: 500 }).access)).toBe('a');
  });

  it('prefers a compound index in the requested order', () => {
    const indexes = [indexOf({ path: 'a' }), indexOf({ path: 'a' }, { path: 'b' })];
    const found = plan(eq('a', 1), [['b', -1]], indexes, { a: 900, a_b: 900 });
    expect(found).toMatchObject({ exact: true, sorted: true, access: { reversed: true } });
    expect(nameOf(found.access)).toBe('a_b');
  });

  it('tries an ordered index first if many documents would have to be sorted', () => {
    const indexes = [indexOf({ path: 'a' }), indexOf({ path: 'b' })];
    const found = plan(eq('a', 1), [['b', 1]], indexes, { a: 1e6 });
    expect(nameOf(found.access)).toBe('b');
    expect(found.fallback && nameOf(found.fallback.access)).toBe('a');
    expect(nameOf(plan(eq('a', 1), [['b', 1]], indexes, { a: 100 }).access)).toBe('a');
  });

  it('falls back to a scan if it reads an index only for its order', () => {
    const found = plan(eq('x', 1), [['b', 1]], [indexOf({ path: 'b' })]);
    expect(found).toMatchObject({ sorted: true, exact: false, fallback: { access: { kind: 'scan' } } });
  });

  it('serves an or as a union if all branches are indexed', () => {
    const either: Filter = { kind: 'or', filters: [eq('a', 1), all(eq('b', 2), eq('c', 3))] };
    const both = [indexOf({ path: 'a' }), indexOf({ path: 'b' })];
    expect(plan(all(either, eq('z', 1)), [], both)).toMatchObject({
      access: { kind: 'union', branches: [{}, {}] },
      exact: false,
    });
    expect(plan(either, [], both.slice(1)).access.kind).toBe('id-scan');
  });
});

const BY_N: Filter = { kind: 'field', path: 'n', tests: [{ kind: 'gte', value: 3 }] };
const ORDER: Sort = [['n', 1]];

/** A collection of five things with an index on `n`, and its planner. */
function openThings() {
  const bench = openTestDatabase();
  bench.index(indexOf({ path: 'n' }));
  bench.fill(Array.from({ length: 5 }, (_, n) => ({ n, m: n })));
  const planner = createPlanner(bench.connection);
  const entry = () => bench.catalogue.get(NS)!;
  return {
    bench,
    entry,
    plan: (filter = BY_N, sort = ORDER) => planner(entry(), { filter, sort }, NO_LIMIT),
  };
}

describe('the planner', () => {
  it('gives the same plan for an equal filter and order', () => {
    const { plan } = openThings();
    const first = plan();
    expect(first.plan.access).toMatchObject({ kind: 'index' });
    expect(first.table).toBeDefined();
    expect(plan({ ...BY_N }, [['n', 1]])).toBe(first);
    expect(plan(BY_N, [['n', -1]])).not.toBe(first);
    expect(plan(field('n', { kind: 'gte', value: 4 }))).not.toBe(first);
    expect(plan()).toBe(first);
  });

  it('gives collections plans of their own', () => {
    const { bench, entry } = openThings();
    const planner = createPlanner(bench.connection);
    const [here, there] = [entry(), { ...entry(), n: entry().n + 1 }].map((collection) =>
      planner(collection, { filter: MATCH_ALL, sort: [] }, NO_LIMIT),
    );
    expect(there!.table).not.toEqual(here!.table);
  });

  it('remembers a bounded number of plans, none by ids and none of a long filter', () => {
    const { plan } = openThings();
    const first = plan(MATCH_ALL, []);
    expect(plan(MATCH_ALL, [])).toBe(first);
    for (let n = 0; n < 1000; n += 1) plan(MATCH_ALL, [[`m${n}`, 1]]);
    expect(plan(MATCH_ALL, [])).not.toBe(first);
    for (const filter of [eq('_id', idOf(1)), eq('m', 'x'.repeat(5000))]) {
      expect(plan(filter)).not.toBe(plan(filter));
    }
  });

  it('plans anew after a write what has the spellings of a text', () => {
    const { bench, plan } = openThings();
    const ignoringCase = field('n', { kind: 'eq', value: 'rom', caseInsensitive: true });
    const first = plan(ignoringCase);
    expect(plan(ignoringCase)).toBe(first);
    const other = plan();
    applyWrites(bench, [insertThing(9, { n: 'ROM' })], NO_LIMIT);
    expect(plan(ignoringCase)).not.toBe(first);
    expect(plan()).toBe(other);
  });

  it('plans anew when an index is added or dropped', () => {
    const { bench, entry, plan } = openThings();
    const byM: Filter = { kind: 'field', path: 'm', tests: [{ kind: 'eq', value: 1 }] };
    expect(plan(byM).plan.access.kind).toBe('index');
    expect(plan(byM).plan.exact).toBe(false);
    inWriteTransaction(bench, () => bench.catalogue.addIndex(entry(), indexOf({ path: 'm' }), true));
    expect(plan(byM, []).plan).toMatchObject({ access: { index: { name: entry().indexes[1]!.name } } });
    inWriteTransaction(bench, () => bench.catalogue.dropIndex(entry(), entry().indexes[1]!));
    expect(plan(byM, []).plan.access.kind).toBe('id-scan');
  });

  it('plans anew when an index becomes ready, stops being ready or holds its first array', () => {
    const { entry, plan } = openThings();
    const [index] = entry().indexes;
    const kinds = () => plan(BY_N, []).plan.access;
    index!.ready = false;
    expect(kinds()).toMatchObject({ kind: 'id-scan' });
    index!.ready = true;
    expect(kinds()).toMatchObject({ kind: 'index', mayRepeat: false });
    index!.multikey = 1;
    expect(kinds()).toMatchObject({ kind: 'index', mayRepeat: true });
  });

  it('plans anew what depended on the number of rows', () => {
    const bench = openTestDatabase();
    bench.index(indexOf({ path: 'n' }));
    bench.index(indexOf({ path: 'm' }));
    bench.fill(Array.from({ length: 5 }, (_, n) => ({ n, m: 1 })));
    const planner = createPlanner(bench.connection);
    const both: Filter = {
      kind: 'and',
      filters: ['n', 'm'].map((path) => ({ kind: 'field', path, tests: [{ kind: 'eq', value: 1 }] })),
    };
    const sort: Sort = [['other', 1]];
    const entry = bench.catalogue.get(NS)!;
    const plan = () => planner(entry, { filter: both, sort }, NO_LIMIT);
    expect(plan()).not.toBe(plan());
  });
});

describe('a query that is asked again with the same objects', () => {
  it('sees the indexes and documents of another connection', () => {
    const { bench } = openThings();
    const connection = bench.connect();
    const context = createQueryContext({ connection, catalogue: createCatalogue(connection) });
    const query = { filter: BY_N, sort: ORDER, skip: 0, limit: 10 };
    const read = () => ({
      found: textsOfQuery(context, NS, query, { workLimit: NO_LIMIT }).map((text) => JSON.parse(text).n),
      counted: countMatches(context, NS, BY_N, { workLimit: NO_LIMIT }),
    });
    expect(read()).toEqual({ found: [3, 4], counted: 2 });
    applyWrites(bench, [insertThing(9, { n: [1, 7, 8] })], NO_LIMIT);
    expect(read()).toEqual({ found: [[1, 7, 8], 3, 4], counted: 3 });
    inWriteTransaction(bench, () => {
      const entry = bench.catalogue.get(NS)!;
      bench.catalogue.dropIndex(entry, entry.indexes[0]!);
    });
    expect(read()).toEqual({ found: [[1, 7, 8], 3, 4], counted: 3 });
  });
});
