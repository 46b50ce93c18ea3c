import { describe, expect, it } from 'vitest';
import { estimateRegexSize } from '../../../../src/lib/regex/linear-regex.ts';
import { type Filter, type FilterTest, MATCH_ALL } from '../../../../src/stores/filter.ts';
import { filterCostOf } from '../../../../src/stores/sqlite-documents/query/filter-cost.ts';

const where = (...tests: readonly FilterTest[]): Filter => ({ kind: 'field', path: 'a', tests });
const pattern: FilterTest = { kind: 'regex', pattern: 'a{10}', flags: '' };

describe('the work of a filter', () => {
  it('counts tests and values', () => {
    expect(filterCostOf(MATCH_ALL)).toEqual({ patterns: 0, operands: 0 });
    const both = where({ kind: 'eq', value: 1 }, { kind: 'in', values: [1, 2, 3] });
    expect(filterCostOf({ kind: 'or', filters: [both, both] })).toEqual({ patterns: 0, operands: 10 });
  });

  it('finds patterns wherever they stand', () => {
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
