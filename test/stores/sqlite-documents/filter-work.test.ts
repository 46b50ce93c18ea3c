import { describe, expect, it } from 'vitest';
import { sizeLinear } from '../../../src/lib/linear-regex.ts';
import { EVERYTHING, type Filter, type Test } from '../../../src/stores/filter.ts';
import { workOf } from '../../../src/stores/sqlite-documents/filter-work.ts';

const where = (...tests: readonly Test[]): Filter => ({ kind: 'field', path: 'a', tests });
const pattern: Test = { kind: 'regex', pattern: 'a{10}', flags: '' };

describe('the work of a filter', () => {
  it('counts tests and values', () => {
    expect(workOf(EVERYTHING)).toEqual({ patterns: 0, operands: 0 });
    const both = where({ kind: 'eq', value: 1 }, { kind: 'in', values: [1, 2, 3] });
    expect(workOf({ kind: 'or', filters: [both, both] })).toEqual({ patterns: 0, operands: 10 });
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
    expect(workOf(inside)).toEqual({ patterns: 4 * sizeLinear('a{10}', ''), operands: 7 });
  });
});
