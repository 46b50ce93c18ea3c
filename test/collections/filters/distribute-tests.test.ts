import { expect, test } from 'vitest';
import { distributeTests, matchesMissing } from '../../../src/collections/filters/distribute-tests.ts';
import type { ParsedFilter } from '../../../src/collections/filters/parsed-filter.ts';
import type { FilterTest } from '../../../src/stores/filter.ts';
import { compileFilter } from '../../../src/stores/matching/compile-filter.ts';

const ask = (path: string) => (atom: unknown) => ({ kind: 'field', path, tests: [atom] }) as ParsedFilter;

const TESTS: readonly FilterTest[] = [
  { kind: 'eq', value: 1 },
  { kind: 'eq', value: null },
  { kind: 'eq', value: 'A', fold: true },
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

test.each([
  ...TESTS.map((one) => [[one]]),
  [[TESTS[0]!, TESTS[8]!]],
  [[{ kind: 'not', tests: [TESTS[0]!, TESTS[8]!] } as FilterTest]],
  [[{ kind: 'not', tests: [{ kind: 'not', tests: [TESTS[3]!] }] } as FilterTest]],
] as readonly (readonly (readonly FilterTest[])[])[])('%j means the same when it is taken apart', (tests) => {
  const whole = compileFilter({ kind: 'field', path: 'a', tests: tests! });
  const spread = compileFilter(distributeTests(tests!, ask('a')) as never);
  for (const value of VALUES) expect([value, spread(value)]).toEqual([value, whole(value)]);
});

test('knows which tests hold for a missing field', () => {
  const atoms = TESTS.filter(({ kind }) => !['ne', 'nin', 'not', 'all', 'exists'].includes(kind));
  for (const atom of atoms) {
    const matches = compileFilter({ kind: 'field', path: 'a', tests: [atom] });
    expect([atom, matchesMissing(atom as never)]).toEqual([atom, matches({})]);
  }
});
