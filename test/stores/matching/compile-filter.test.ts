// What MongoDB is known to answer, row by row.
import { describe, expect, test } from 'vitest';
import { LinearRegexError } from '../../../src/lib/regex/linear-regex.ts';
import { MATCH_ALL } from '../../../src/stores/filter.ts';
import { compileFilter } from '../../../src/stores/matching/compile-filter.ts';
import { arrays, equality, nulls, ranges } from './match-rows.ts';
import { elements, existence, negations, paths, patterns } from './match-rows-structure.ts';
import { toFilter } from './query.ts';

const groups = { equality, arrays, nulls, ranges, negations, existence, elements, paths, patterns };

for (const [name, rows] of Object.entries(groups)) {
  describe(name, () => {
    test.each(rows.map((row) => [JSON.stringify(row[0]), JSON.stringify(row[1]), ...row] as const))(
      '%s on %s',
      (_query, _document, query, document, matches) => {
        expect(compileFilter(toFilter(query))(document)).toBe(matches);
      },
    );
  });
}

test('the empty filter matches everything', () => {
  expect(compileFilter(MATCH_ALL)({})).toBe(true);
  expect(compileFilter({ kind: 'or', filters: [] })({})).toBe(false);
  expect(compileFilter({ kind: 'nor', filters: [] })({})).toBe(true);
  expect(compileFilter({ kind: 'field', path: 'a', tests: [] })({})).toBe(true);
});

test('a pattern that the engine rejects is rejected when the filter is compiled', () => {
  expect(() => compileFilter(toFilter({ a: { $regex: '(?=x)' } }))).toThrow(LinearRegexError);
});
