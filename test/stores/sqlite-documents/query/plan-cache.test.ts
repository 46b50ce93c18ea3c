import { describe, expect, it } from 'vitest';
import { type Filter, MATCH_ALL } from '../../../../src/stores/filter.ts';
import type { Sort } from '../../../../src/stores/ports.ts';
import { applyWrites } from '../../../../src/stores/sqlite-documents/commit/apply-writes.ts';
import {
  createCatalogue,
  inWriteTransaction,
} from '../../../../src/stores/sqlite-documents/data-file/catalogue.ts';
import {
  countMatches,
  createQueryContext,
  findTexts,
} from '../../../../src/stores/sqlite-documents/query/execute.ts';
import { createPlanner } from '../../../../src/stores/sqlite-documents/query/plan-cache.ts';
import { indexOf, insertThing, NO_LIMIT, NS, openTestDatabase } from '../test-database.ts';

const BY_N: Filter = { kind: 'field', path: 'n', tests: [{ kind: 'gte', value: 3 }] };
const ORDER: Sort = [['n', 1]];

/** A collection of five things with an index on `n`, and its planner. */
function openThings() {
  const bench = openTestDatabase();
  bench.index(indexOf({ path: 'n' }));
  bench.fill(Array.from({ length: 5 }, (_, n) => ({ n, m: n })));
  const planner = createPlanner(bench.connection);
  const entry = () => bench.catalogue.get(NS)!;
  return { bench, entry, plan: (filter = BY_N, sort = ORDER) => planner(entry(), filter, sort) };
}

describe('the planner', () => {
  it('gives the same plan for the same filter and the same order', () => {
    const { plan } = openThings();
    const first = plan();
    expect(first.plan.access).toMatchObject({ kind: 'index' });
    expect(first.table).toBeDefined();
    expect(plan()).toBe(first);
    expect(plan(BY_N, [['n', 1]])).not.toBe(first);
    expect(plan({ ...BY_N })).not.toBe(first);
    expect(plan()).toBe(first);
  });

  it('takes every order without keys for the same', () => {
    const { plan } = openThings();
    expect(plan(MATCH_ALL, [])).toBe(plan(MATCH_ALL, []));
  });

  it('remembers a bounded number of orders for a filter', () => {
    const { plan } = openThings();
    const first = plan(MATCH_ALL, []);
    for (let n = 0; n < 40; n += 1) plan(MATCH_ALL, [[`m${n}`, 1]]);
    expect(plan(MATCH_ALL, [])).not.toBe(first);
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
    expect(planner(entry, both, sort)).not.toBe(planner(entry, both, sort));
  });
});

describe('a query that is asked again with the same objects', () => {
  it('sees the indexes and documents of another connection', () => {
    const { bench } = openThings();
    const connection = bench.connect();
    const context = createQueryContext({ connection, catalogue: createCatalogue(connection) });
    const query = { filter: BY_N, sort: ORDER, skip: 0, limit: 10 };
    const read = () => ({
      found: findTexts(context, NS, query, { workLimit: NO_LIMIT }).map((text) => JSON.parse(text).n),
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
