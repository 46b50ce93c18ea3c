// Values in values and tests in tests, made at random: arrays of arrays under every operator.
import fc from 'fast-check';
import type { Json } from '../../../src/lib/json/json.ts';
import type { FilterTest } from '../../../src/stores/filter.ts';

/** Few values, so that tests and documents meet often. */
const scalar = fc.constantFrom<Json>(null, 5, 6, 'a', 'A');

/** Values within values, up to `depth` times. */
function valueWithin(depth: number): fc.Arbitrary<Json> {
  if (depth === 0) return scalar;
  const inner = valueWithin(depth - 1);
  return fc.oneof(
    { arbitrary: scalar, weight: 1 },
    { arbitrary: fc.array(inner, { maxLength: 3 }), weight: 3 },
    { arbitrary: fc.record({ x: inner }, { requiredKeys: [] }), weight: 1 },
  );
}
/** Scalars, arrays and objects, and those within each other. */
export const nestedValue = valueWithin(3);

const VALUE_KINDS = ['gt', 'gte', 'lt', 'lte'] as const;
const LIST_KINDS = ['in', 'nin', 'all'] as const;
const plainTest: fc.Arbitrary<FilterTest> = fc.oneof(
  fc
    .tuple(fc.constantFrom(...VALUE_KINDS), fc.oneof(scalar, nestedValue))
    .map(([kind, operand]): FilterTest => ({ kind, value: operand })),
  fc.oneof(scalar, nestedValue).map((operand): FilterTest => ({ kind: 'ne', value: operand })),
  fc.oneof(scalar, nestedValue).map((operand): FilterTest => ({ kind: 'eq', value: operand })),
  fc.constantFrom('a', 'B').map((text): FilterTest => ({ kind: 'eq', value: text, caseInsensitive: true })),
  fc
    .tuple(fc.constantFrom(...LIST_KINDS), fc.array(nestedValue, { maxLength: 3 }))
    .map(([kind, values]): FilterTest => ({ kind, values })),
  fc.boolean().map((there): FilterTest => ({ kind: 'exists', value: there })),
  fc.nat(2).map((size): FilterTest => ({ kind: 'size', value: size })),
  fc
    .tuple(fc.constantFrom('^a', '^[ab]', 'b$'), fc.constantFrom('', 'i'))
    .map(([pattern, flags]): FilterTest => ({ kind: 'regex', pattern, flags })),
);

/** Tests within tests, up to `depth` times. */
function testWithin(depth: number): fc.Arbitrary<FilterTest> {
  if (depth === 0) return plainTest;
  const tests = fc.array(testWithin(depth - 1), { minLength: 1, maxLength: 2 });
  return fc.oneof(
    { arbitrary: plainTest, weight: 2 },
    { arbitrary: tests.map((inner): FilterTest => ({ kind: 'elemMatchValue', tests: inner })), weight: 3 },
    { arbitrary: tests.map((inner): FilterTest => ({ kind: 'not', tests: inner })), weight: 1 },
    {
      arbitrary: tests.map(
        (inner): FilterTest => ({ kind: 'elemMatch', filter: { kind: 'field', path: 'x', tests: inner } }),
      ),
      weight: 1,
    },
  );
}
/** Tests of one path, all of which must hold. */
export const nestedTests = fc.array(testWithin(3), { minLength: 1, maxLength: 2 });
