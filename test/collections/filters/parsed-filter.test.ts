import { expect, test } from 'vitest';
import {
  areReferencesResolved,
  distributeTests,
  isResolved,
  joinParsedFilters,
  matchesMissing,
  type ParsedFilter,
  type ReferenceCondition,
} from '../../../src/collections/filters/parsed-filter.ts';
import { type FilterTest, MATCH_ALL } from '../../../src/stores/filter.ts';
import { createPredicate } from '../../../src/stores/matching/filter-predicate.ts';
import { BOOKS, PEOPLE } from './sample.ts';

const condition: ReferenceCondition = {
  kind: 'reference',
  source: BOOKS,
  path: 'author',
  target: PEOPLE,
  filter: MATCH_ALL,
  matchesMissing: false,
  elementsOnly: false,
};

test('resolved filters join to a filter of the store, others to an unresolved group', () => {
  expect(joinParsedFilters('and', [MATCH_ALL])).toBe(MATCH_ALL);
  expect(joinParsedFilters('and', [])).toEqual(MATCH_ALL);
  expect(joinParsedFilters('nor', [MATCH_ALL])).toEqual({ kind: 'nor', filters: [MATCH_ALL] });
  const unresolved = joinParsedFilters('or', [MATCH_ALL, condition]);
  expect(unresolved).toEqual({ kind: 'group', operator: 'or', filters: [MATCH_ALL, condition] });
  expect([MATCH_ALL, condition, unresolved].map(isResolved)).toEqual([true, false, false]);
});

test('tests are resolved when none of them refers to documents of another collection', () => {
  expect(areReferencesResolved([{ kind: 'not', tests: [{ kind: 'size', value: 1 }] }])).toBe(true);
  expect(areReferencesResolved([{ kind: 'refersTo', condition }])).toBe(false);
  expect(
    areReferencesResolved([
      { kind: 'size', value: 1 },
      { kind: 'not', tests: [{ kind: 'refersTo', condition }] },
    ]),
  ).toBe(false);
});

const fieldFilter = (test: unknown) => ({ kind: 'field', path: 'a', tests: [test] }) as ParsedFilter;

const TESTS: readonly FilterTest[] = [
  { kind: 'eq', value: 1 },
  { kind: 'eq', value: null },
  { kind: 'eq', value: 'A', caseInsensitive: true },
  { kind: 'ne', value: 1 },
  { kind: 'ne', value: null },
  { kind: 'gt', value: null },
  { kind: 'gte', value: null },
  { kind: 'lte', value: null },
  { kind: 'lt', value: 2 },
  { kind: 'in', values: [1, null] },
  { kind: 'in', values: [2] },
  { kind: 'nin', values: [1, null] },
  { kind: 'nin', values: [2] },
  { kind: 'all', values: [1, 2] },
  { kind: 'all', values: [null] },
  { kind: 'all', values: [] },
  { kind: 'exists', value: true },
  { kind: 'exists', value: false },
  { kind: 'size', value: 2 },
  { kind: 'type', names: ['null', 'number'] },
  { kind: 'regex', pattern: 'a', flags: '' },
  { kind: 'elemMatchValue', tests: [{ kind: 'ne', value: 1 }] },
  { kind: 'elemMatch', filter: { kind: 'and', filters: [] } },
];
const VALUES = [
  {},
  { a: null },
  { a: 1 },
  { a: 'a' },
  { a: [] },
  { a: [1, 2] },
  { a: [null, 'b'] },
  { a: [{}] },
];

/** Whether a test of the kind passes as soon as one value does; a kind that is added needs its row here, and one in TESTS. */
const PASSES_BY_ONE_VALUE: Readonly<Record<FilterTest['kind'], boolean>> = {
  eq: true,
  gt: true,
  gte: true,
  lt: true,
  lte: true,
  in: true,
  size: true,
  type: true,
  regex: true,
  elemMatch: true,
  elemMatchValue: true,
  // `exists: false` asks that there be no value.
  exists: false,
  ne: false,
  nin: false,
  not: false,
  all: false,
};

test('every kind of test is distributed by what it says: only one that a single value passes goes inside as it is', () => {
  const asked: readonly FilterTest[] = [...TESTS, { kind: 'not', tests: [{ kind: 'size', value: 1 }] }];
  expect(new Set(asked.map(({ kind }) => kind))).toEqual(new Set(Object.keys(PASSES_BY_ONE_VALUE)));
  const goesInside = (tests: readonly FilterTest[]) => {
    const inside = new Set<unknown>();
    distributeTests(tests, (inner) => {
      inside.add(inner);
      return MATCH_ALL;
    });
    return tests.every((one) => inside.has(one));
  };
  for (const [kind, isPositive] of Object.entries(PASSES_BY_ONE_VALUE)) {
    const ofKind = asked.filter((one) => one.kind === kind);
    expect([kind, goesInside(ofKind)]).toEqual([kind, isPositive]);
  }
});

test('a test of an unknown kind is refused wherever a filter is read, not taken for another one', () => {
  const strange = { kind: 'nearly', value: 1 } as unknown as FilterTest;
  expect(() => distributeTests([strange], fieldFilter)).toThrow(TypeError);
  expect(() => matchesMissing(strange as never)).toThrow(TypeError);
});

test.each([
  ...TESTS.map((test) => [[test]]),
  [[TESTS[0]!, TESTS[8]!]],
  [[{ kind: 'not', tests: [TESTS[0]!, TESTS[8]!] } as FilterTest]],
  [[{ kind: 'not', tests: [{ kind: 'not', tests: [TESTS[3]!] }] } as FilterTest]],
] as readonly (readonly (readonly FilterTest[])[])[])(
  'tests %j match the same documents when they are distributed',
  (tests) => {
    const whole = createPredicate({ kind: 'field', path: 'a', tests: tests! });
    const distributed = createPredicate(distributeTests(tests!, fieldFilter) as never);
    for (const value of VALUES) expect([value, distributed(value)]).toEqual([value, whole(value)]);
  },
);

test('matchesMissing is true for exactly those atomic tests that match a document without the field', () => {
  const atomic = TESTS.filter(({ kind }) => !['ne', 'nin', 'not', 'all', 'exists'].includes(kind));
  for (const test of atomic) {
    const matches = createPredicate({ kind: 'field', path: 'a', tests: [test] });
    expect([test, matchesMissing(test as never)]).toEqual([test, matches({})]);
  }
});
