import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/lib/json/json.ts';
import type { FilterTest } from '../../../../src/stores/filter.ts';
import { createPredicate } from '../../../../src/stores/matching/filter-predicate.ts';
import {
  createRowEncoder,
  encodeValue,
  inDirection,
} from '../../../../src/stores/sqlite-documents/indexes/index-keys.ts';
import {
  includesNull,
  type KeyBounds,
  keyBoundsOf,
  prefixRange,
} from '../../../../src/stores/sqlite-documents/query/key-bounds.ts';
import { nestedTests, nestedValue } from '../nested-tests.ts';
import { indexOf, NO_LIMIT } from '../test-database.ts';

const VALUES: readonly Json[] = [null, -5, 0, 5, 9, '', 'a', 'ab', 'abc', 'b', { x: 1 }, [1], false, true];
const SINGLE = { multikey: false };
const MULTI = { multikey: true };

/** Which of VALUES the bounds let through, read in both directions. */
function within(tests: readonly FilterTest[], traits = SINGLE) {
  const bounds = keyBoundsOf(tests, traits);
  if (bounds === undefined) return undefined;
  const [up, down] = ([1, -1] as const).map((direction) =>
    VALUES.filter((value) => {
      const key = Buffer.concat([inDirection(encodeValue(value), direction), Buffer.from('tail')]);
      return bounds.ranges
        .map((interval) => prefixRange(Buffer.alloc(0), interval, direction))
        .some(({ low, high }) => Buffer.compare(low, key) <= 0 && Buffer.compare(key, high) < 0);
    }),
  );
  expect(down).toEqual(up);
  return { values: up, exact: bounds.exact, points: bounds.points };
}

describe('bounds of a key', () => {
  it('are points for equality and lists', () => {
    expect(within([{ kind: 'eq', value: 5 }])).toEqual({ values: [5], exact: true, points: true });
    expect(within([{ kind: 'in', values: ['b', 0, 0, null] }])).toMatchObject({
      values: [null, 0, 'b'],
      exact: true,
    });
    expect(within([{ kind: 'eq', value: { x: 1 } }])).toMatchObject({ values: [{ x: 1 }], exact: true });
    expect(within([{ kind: 'all', values: ['a', 'b'] }])).toMatchObject({ values: ['a'], exact: false });
  });

  it('stay within a type', () => {
    expect(within([{ kind: 'gt', value: 0 }])?.values).toEqual([5, 9]);
    expect(within([{ kind: 'lte', value: 0 }])?.values).toEqual([-5, 0]);
    expect(within([{ kind: 'gte', value: 'ab' }])?.values).toEqual(['ab', 'abc', 'b']);
    expect(within([{ kind: 'lt', value: true }])?.values).toEqual([false]);
  });

  it('intersect, unless different array elements may pass different tests', () => {
    const tests: FilterTest[] = [
      { kind: 'gte', value: 0 },
      { kind: 'lt', value: 9 },
    ];
    expect(within(tests)).toMatchObject({ values: [0, 5], exact: true });
    expect(within(tests, MULTI)).toMatchObject({ values: [0, 5, 9], exact: false });
    expect(within([{ kind: 'elemMatchValue', tests }], MULTI)).toMatchObject({
      values: [0, 5],
      exact: false,
    });
    expect(
      within([
        { kind: 'gt', value: 9 },
        { kind: 'lt', value: 0 },
      ])?.values,
    ).toEqual([]);
  });

  it('use the literal prefix of a pattern', () => {
    const regex = (pattern: string, flags = ''): FilterTest => ({ kind: 'regex', pattern, flags });
    expect(within([regex('^ab')])).toMatchObject({ values: ['ab', 'abc'], exact: false });
    expect(within([regex('^abc?')])?.values).toEqual(['ab', 'abc']);
    expect(within([regex('^ab', 'i')])).toBeUndefined();
    expect(within([regex('^a|b')])).toBeUndefined();
    expect(within([regex('ab')])).toBeUndefined();
    expect(within([regex('^.b')])).toBeUndefined();
  });

  it('do not exist for equality that ignores case, whose spellings have to be found first', () => {
    expect(within([{ kind: 'eq', value: 'AB', caseInsensitive: true }])).toBeUndefined();
  });

  it('do not exist for whole arrays, negations and other tests that an index cannot serve', () => {
    const tests: FilterTest[] = [
      { kind: 'eq', value: [1] },
      { kind: 'in', values: [1, [1]] },
      { kind: 'ne', value: 1 },
      { kind: 'nin', values: [1] },
      { kind: 'exists', value: false },
      { kind: 'size', value: 1 },
      { kind: 'not', tests: [{ kind: 'eq', value: 1 }] },
      { kind: 'gte', value: null },
    ];
    for (const test of tests) expect(within([test])).toBeUndefined();
  });

  it('are exact for null only without arrays', () => {
    const test: FilterTest = { kind: 'eq', value: null };
    expect(within([test])?.exact).toBe(true);
    expect(within([test], MULTI)?.exact).toBe(false);
    const holds = (tests: FilterTest[]) => includesNull(keyBoundsOf(tests, SINGLE)!);
    expect(holds([test])).toBe(true);
    expect(holds([{ kind: 'gt', value: 0 }])).toBe(false);
  });
});

describe('bounds against documents', () => {
  const DEFINITION = indexOf({ path: 'm' });
  const rowsOf = createRowEncoder(DEFINITION);
  const isWithin = (bounds: KeyBounds, keys: readonly Buffer[]) =>
    keys.some((key) =>
      bounds.ranges.some(({ low, high }) => Buffer.compare(low, key) <= 0 && Buffer.compare(key, high) < 0),
    );

  it('include every match, however nested its arrays are, and nothing else if they are exact', () => {
    fc.assert(
      fc.property(nestedTests, nestedValue, (tests, m) => {
        const document = { _id: 'ff', m };
        const rows = rowsOf(document, NO_LIMIT);
        const matches = createPredicate({ kind: 'field', path: 'm', tests })(document);
        for (const multikey of rows.arrays === 0 ? [false, true] : [true]) {
          const bounds = keyBoundsOf(tests, { multikey });
          if (bounds === undefined) continue;
          const found = isWithin(bounds, rows.keys);
          if (matches) expect(found).toBe(true);
          if (bounds.exact) expect(found).toBe(matches);
        }
      }),
      { numRuns: 4000 },
    );
  });

  it('do not exist for elements of elements', () => {
    const inner: FilterTest = { kind: 'elemMatchValue', tests: [{ kind: 'gt', value: 5 }] };
    expect(keyBoundsOf([{ kind: 'elemMatchValue', tests: [inner] }], MULTI)).toBeUndefined();
    const beside: FilterTest = { kind: 'elemMatchValue', tests: [inner, { kind: 'eq', value: 5 }] };
    expect(within([beside], MULTI)?.values).toEqual([5]);
  });
});
