import { describe, expect, it } from 'vitest';
import { estimateRegexSize } from '../../../../src/lib/regex/linear-regex.ts';
import { type Filter, type FilterTest, MATCH_ALL } from '../../../../src/stores/filter.ts';
import {
  filterCostOf,
  flattenConjunction,
} from '../../../../src/stores/sqlite-documents/query/filter-analysis.ts';

const where = (...tests: readonly FilterTest[]): Filter => ({ kind: 'field', path: 'a', tests });
const pattern: FilterTest = { kind: 'regex', pattern: 'a{10}', flags: '' };

describe('the cost of a filter', () => {
  it('is the number of tests and values', () => {
    expect(filterCostOf(MATCH_ALL)).toEqual({ patterns: 0, operands: 0 });
    const both = where({ kind: 'eq', value: 1 }, { kind: 'in', values: [1, 2, 3] });
    expect(filterCostOf({ kind: 'or', filters: [both, both] })).toEqual({ patterns: 0, operands: 10 });
  });

  it('includes patterns at every level', () => {
    const inside: Filter = {
      kind: 'nor',
      filters: [
        where(pattern),
        where({ kind: 'not', tests: [pattern] }),
        where({ kind: 'elemMatch', filter: where(pattern) }),
        where({ kind: 'elemMatchValue', tests: [pattern] }),
      ],
    };
    expect(filterCostOf(inside)).toEqual({ patterns: 4 * estimateRegexSize('a{10}', ''), operands: 7 });
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
