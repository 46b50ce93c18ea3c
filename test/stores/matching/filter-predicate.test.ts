// What MongoDB is known to answer, row by row.
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/lib/json/json.ts';
import { LinearRegexError } from '../../../src/lib/regex/linear-regex.ts';
import { MATCH_ALL } from '../../../src/stores/filter.ts';
import {
  caseInsensitiveEqualTo,
  comparesTo,
  createPredicate,
  equalTo,
  hasType,
  matchesPattern,
  oneOf,
} from '../../../src/stores/matching/filter-predicate.ts';
import { arrays, equality, nulls, ranges } from './match-rows.ts';
import { elements, existence, negations, paths, patterns } from './match-rows-structure.ts';
import { toFilter } from './query.ts';

const groups = { equality, arrays, nulls, ranges, negations, existence, elements, paths, patterns };

for (const [name, rows] of Object.entries(groups)) {
  describe(name, () => {
    test.each(rows.map((row) => [JSON.stringify(row[0]), JSON.stringify(row[1]), ...row] as const))(
      '%s on %s',
      (_query, _document, query, document, matches) => {
        expect(createPredicate(toFilter(query))(document)).toBe(matches);
      },
    );
  });
}

test('the empty filter matches everything', () => {
  expect(createPredicate(MATCH_ALL)({})).toBe(true);
  expect(createPredicate({ kind: 'or', filters: [] })({})).toBe(false);
  expect(createPredicate({ kind: 'nor', filters: [] })({})).toBe(true);
  expect(createPredicate({ kind: 'field', path: 'a', tests: [] })({})).toBe(true);
});

test('a pattern that the engine rejects is rejected when the filter is compiled', () => {
  expect(() => createPredicate(toFilter({ a: { $regex: '(?=x)' } }))).toThrow(LinearRegexError);
});

const VALUES: readonly (Json | undefined)[] = [
  undefined,
  null,
  0,
  1,
  'a',
  'A',
  {},
  { a: 1 },
  [],
  [1],
  true,
  false,
];

const passing = (accepts: (value: Json | undefined) => boolean) => VALUES.filter(accepts);

test('equality tests match equal values only', () => {
  expect(passing(equalTo(null))).toEqual([undefined, null]);
  expect(passing(equalTo(-0))).toEqual([0]);
  expect(passing(equalTo({ a: 1 }))).toEqual([{ a: 1 }]);
  expect(passing(caseInsensitiveEqualTo('A'))).toEqual(['a', 'A']);
  expect(passing(caseInsensitiveEqualTo(1))).toEqual([1]);
  expect(passing(caseInsensitiveEqualTo(null))).toEqual([undefined, null]);
});

test('membership tests match listed values only', () => {
  expect(passing(oneOf([]))).toEqual([]);
  expect(passing(oneOf([null, 'a']))).toEqual([undefined, null, 'a']);
  expect(passing(oneOf([[1], 'a', {}, [], { a: 1 }, 0, false]))).toEqual([
    0,
    'a',
    {},
    { a: 1 },
    [],
    [1],
    false,
  ]);
});

test('comparisons match values of one type only', () => {
  expect(passing(comparesTo('gt', 0))).toEqual([1]);
  expect(passing(comparesTo('lte', 'a'))).toEqual(['a', 'A']);
  expect(passing(comparesTo('gte', null))).toEqual([undefined, null]);
  expect(passing(comparesTo('lt', null))).toEqual([]);
  expect(passing(comparesTo('gte', {}))).toEqual([{}, { a: 1 }]);
  expect(passing(comparesTo('lt', [1]))).toEqual([[]]);
  expect(passing(comparesTo('lt', true))).toEqual([false]);
});

test('type and pattern tests match as declared', () => {
  expect(passing(hasType(['null', 'array']))).toEqual([null, [], [1]]);
  expect(passing(hasType(['object', 'bool']))).toEqual([{}, { a: 1 }, true, false]);
  expect(passing(hasType(['number', 'string']))).toEqual([0, 1, 'a', 'A']);
  expect(passing(matchesPattern('a', ''))).toEqual(['a']);
  expect(passing(matchesPattern('a', 'i'))).toEqual(['a', 'A']);
});
