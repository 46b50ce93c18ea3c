import { describe, expect, it } from 'vitest';
import type { Filter, FilterTest } from '../../../../src/stores/filter.ts';
import type { IndexDefinition, Sort } from '../../../../src/stores/ports.ts';
import {
  flattenConjunction,
  planIndexAccess,
} from '../../../../src/stores/sqlite-documents/query/index-access.ts';
import { indexOf } from '../test-database.ts';

type Tests = Record<string, FilterTest | FilterTest[]>;

const entryOf = (definition: IndexDefinition, multikey = 0) => ({
  n: 1,
  name: definition.name,
  definition,
  ready: true,
  watermark: 0,
  multikey,
});

const filterOf = (tests: Tests): Filter => ({
  kind: 'and',
  filters: Object.entries(tests).map(([path, test]) => ({ kind: 'field', path, tests: [test].flat() })),
});

function plan(definition: IndexDefinition, tests: Tests, sort: Sort, more: { multikey?: number } = {}) {
  const index = entryOf(definition, more.multikey);
  const found = planIndexAccess(flattenConjunction(filterOf(tests)), sort, index);
  if (found === undefined) return undefined;
  const { access, exact, sorted, selectivity: narrowing } = found;
  return {
    stretches: access.ranges.length,
    reversed: access.reversed,
    repeats: access.mayRepeat,
    narrows: narrowing > 0,
    exact,
    sorted,
  };
}

const eq = (value: string | number): FilterTest => ({ kind: 'eq', value });
const gt = (value: number): FilterTest => ({ kind: 'gt', value });
const AB = indexOf({ path: 'a' }, { path: 'b', direction: -1 });

describe('the plan over one index', () => {
  it('serves equality, then a range, and leaves the rest to the filter', () => {
    expect(plan(AB, { a: eq(1), b: gt(2) }, [])).toMatchObject({ stretches: 1, exact: true, narrows: true });
    expect(plan(AB, { a: eq(1), c: eq(2) }, [])).toMatchObject({ exact: false });
    expect(plan(AB, { b: eq(1) }, [])).toMatchObject({ narrows: false, exact: false });
    expect(plan(AB, { a: gt(1), b: gt(2) }, [])).toMatchObject({ stretches: 1, exact: false });
  });

  it('serves lists as several ranges', () => {
    const list: FilterTest = { kind: 'in', values: [1, 2, 3] };
    expect(plan(AB, { a: list, b: list }, [])).toMatchObject({ stretches: 9, exact: true, sorted: false });
  });

  it('serves the order of its keys, forwards and backwards', () => {
    expect(
      plan(AB, {}, [
        ['a', 1],
        ['b', -1],
      ]),
    ).toMatchObject({ sorted: true, reversed: false, narrows: false });
    expect(
      plan(AB, {}, [
        ['a', -1],
        ['b', 1],
      ]),
    ).toMatchObject({ sorted: true, reversed: true });
    expect(
      plan(AB, {}, [
        ['a', 1],
        ['b', 1],
      ]),
    ).toMatchObject({ sorted: false });
    expect(plan(AB, {}, [['a', 1]])).toMatchObject({ sorted: false });
    expect(plan(AB, {}, [['b', 1]])).toMatchObject({ sorted: false });
  });

  it('serves the order of the keys after constant ones', () => {
    expect(plan(AB, { a: eq(1) }, [['b', -1]])).toMatchObject({ sorted: true, reversed: false });
    expect(plan(AB, { a: eq(1) }, [['b', 1]])).toMatchObject({ sorted: true, reversed: true });
    expect(
      plan(AB, { a: eq(1), b: gt(0) }, [
        ['a', 1],
        ['b', 1],
      ]),
    ).toMatchObject({ sorted: true, reversed: true });
    const list: FilterTest = { kind: 'in', values: [1, 2] };
    expect(plan(AB, { a: list }, [['b', 1]])).toMatchObject({ sorted: false });
    expect(
      plan(AB, { a: list }, [
        ['a', -1],
        ['b', 1],
      ]),
    ).toMatchObject({ sorted: true, reversed: true });
  });

  it('respects the direction of the ids', () => {
    const a = indexOf({ path: 'a' });
    expect(plan(a, { a: eq(1) }, [])).toMatchObject({ sorted: true, reversed: false });
    expect(plan(a, { a: eq(1) }, [['_id', -1]])).toMatchObject({ sorted: true, reversed: true });
    expect(
      plan(a, {}, [
        ['a', -1],
        ['_id', 1],
      ]),
    ).toMatchObject({ sorted: false });
    expect(
      plan(a, {}, [
        ['a', -1],
        ['_id', -1],
        ['c', 1],
      ]),
    ).toMatchObject({ sorted: true, reversed: true });
  });

  it('does not serve an order by arrays that the filter narrows', () => {
    const a = indexOf({ path: 'a' });
    expect(plan(a, {}, [['a', 1]], { multikey: 1 })).toMatchObject({ sorted: true, repeats: true });
    expect(plan(a, { a: gt(1) }, [['a', 1]], { multikey: 1 })).toMatchObject({
      sorted: false,
      repeats: true,
    });
    expect(plan(a, { a: eq(1) }, [['_id', 1]], { multikey: 1 })).toMatchObject({
      sorted: true,
      repeats: false,
    });
    expect(plan(a, { a: [gt(1), { kind: 'lt', value: 5 }] }, [], { multikey: 1 })).toMatchObject({
      exact: false,
    });
  });

  it('does not combine two paths into one array', () => {
    const shared = indexOf({ path: 'a.b' }, { path: 'a.c' });
    const tests = { 'a.b': eq(1), 'a.c': eq(2) };
    expect(plan(shared, tests, [])).toMatchObject({ exact: true });
    expect(plan(shared, tests, [], { multikey: 0b11 })).toMatchObject({ exact: false, stretches: 1 });
  });

  it('does not serve a query for documents that a sparse index does not contain', () => {
    const sparse = { ...indexOf({ path: 'a' }), sparse: true };
    expect(plan(sparse, {}, [['a', 1]])).toBeUndefined();
    expect(plan(sparse, { a: { kind: 'eq', value: null } }, [])).toBeUndefined();
    expect(plan(sparse, { a: eq(1) }, [])).toMatchObject({ exact: true });
  });

  it('does not serve paths with positions', () => {
    expect(plan(indexOf({ path: 'a.0' }), { 'a.0': eq(1) }, [])).toMatchObject({ narrows: false });
  });
});

describe('flattening a filter', () => {
  it('joins the tests of a path through nested ands and keeps other conditions apart', () => {
    const field = (path: string, value: number): Filter => ({
      kind: 'field',
      path,
      tests: [{ kind: 'gt', value }],
    });
    const either: Filter = { kind: 'or', filters: [field('a', 9)] };
    const filter: Filter = {
      kind: 'and',
      filters: [field('a', 1), { kind: 'and', filters: [field('a', 2), either] }, field('b', 3)],
    };
    const { tests, others } = flattenConjunction(filter);
    expect([...tests.keys()]).toEqual(['a', 'b']);
    expect(tests.get('a')).toHaveLength(2);
    expect(others).toEqual([either]);
  });
});
