// Random documents and filters: the compiled filter and the naive evaluator must agree.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import type { Filter, FilterTest } from '../../../src/stores/filter.ts';
import { compareValues } from '../../../src/stores/matching/compare.ts';
import { createPredicate } from '../../../src/stores/matching/filter-predicate.ts';
import { naiveCompare, naiveMatch } from './naive-match.ts';

const RUNS = { numRuns: 4000 };

// Few names and few values, so that filters hit.
const scalar = fc.constantFrom<Json>(
  null,
  true,
  false,
  0,
  -0,
  1,
  2,
  '',
  'a',
  'b',
  'ab',
  '\uffee',
  '\u{1f600}',
);
const name = fc.constantFrom('a', 'b', '0', '1');
const value = fc.letrec<{ json: Json; object: JsonObject }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('json'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(name, tie('json'), { maxKeys: 3, noNullPrototype: true }),
}));
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.'));

const { test: anyTest, filter: anyFilter } = fc.letrec<{ test: FilterTest; filter: Filter }>((tie) => ({
  test: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({
      kind: fc.constantFrom('eq', 'ne', 'gt', 'gte', 'lt', 'lte'),
      value: value.json,
    }) as fc.Arbitrary<FilterTest>,
    fc.record({
      kind: fc.constantFrom('in', 'nin', 'all'),
      values: fc.array(value.json, { maxLength: 3 }),
    }) as fc.Arbitrary<FilterTest>,
    fc.record({ kind: fc.constant('exists'), value: fc.boolean() }) as fc.Arbitrary<FilterTest>,
    fc.record({ kind: fc.constant('size'), value: fc.nat(3) }) as fc.Arbitrary<FilterTest>,
    fc.record({
      kind: fc.constant('type'),
      names: fc.subarray(['string', 'number', 'object', 'array', 'bool', 'null'], { minLength: 1 }),
    }) as fc.Arbitrary<FilterTest>,
    fc.record({
      kind: fc.constant('regex'),
      pattern: fc.constantFrom('a', '^a', 'b$', '^.$', ''),
      flags: fc.constant(''),
    }) as fc.Arbitrary<FilterTest>,
    fc.record({
      kind: fc.constant('not'),
      tests: fc.array(tie('test'), { maxLength: 2 }),
    }) as fc.Arbitrary<FilterTest>,
    fc.record({ kind: fc.constant('elemMatch'), filter: tie('filter') }) as fc.Arbitrary<FilterTest>,
    fc.record({
      kind: fc.constant('elemMatchValue'),
      tests: fc.array(tie('test'), { minLength: 1, maxLength: 2 }),
    }) as fc.Arbitrary<FilterTest>,
  ),
  filter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({
      kind: fc.constant('field'),
      path,
      tests: fc.array(tie('test'), { minLength: 1, maxLength: 2 }),
    }) as fc.Arbitrary<Filter>,
    fc.record({
      kind: fc.constantFrom('and', 'or', 'nor'),
      filters: fc.array(tie('filter'), { maxLength: 3 }),
    }) as fc.Arbitrary<Filter>,
  ),
}));

test('a filter of one test matches what the naive matcher matches', () => {
  fc.assert(
    fc.property(
      path,
      anyTest,
      fc.array(value.object, { minLength: 3, maxLength: 3 }),
      (where, what, documents) => {
        const filter: Filter = { kind: 'field', path: where, tests: [what] };
        const matches = createPredicate(filter);
        for (const document of documents) expect(matches(document)).toBe(naiveMatch(filter, document));
      },
    ),
    RUNS,
  );
});

test('a nested filter matches what the naive matcher matches', () => {
  fc.assert(
    fc.property(anyFilter, value.object, (filter, document) => {
      expect(createPredicate(filter)(document)).toBe(naiveMatch(filter, document));
    }),
    RUNS,
  );
});

test('values compare as in the naive comparison', () => {
  fc.assert(
    fc.property(value.json, value.json, (a, b) => {
      expect(Math.sign(compareValues(a, b)) + 0).toBe(Math.sign(naiveCompare(a, b)) + 0);
    }),
    RUNS,
  );
});
