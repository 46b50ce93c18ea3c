// Values in values and tests in tests, made at random: arrays of arrays under every operator.
import fc from 'fast-check';
import type { Json } from '../../../src/lib/json.ts';
import type { Test } from '../../../src/stores/filter.ts';

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

const VALUE_KINDS = ['ne', 'gt', 'gte', 'lt', 'lte'] as const;
const LIST_KINDS = ['in', 'nin', 'all'] as const;
const plainTest: fc.Arbitrary<Test> = fc.oneof(
  fc
    .tuple(fc.constantFrom(...VALUE_KINDS), fc.oneof(scalar, nestedValue))
    .map(([kind, operand]): Test => ({ kind, value: operand })),
  fc.oneof(scalar, nestedValue).map((operand): Test => ({ kind: 'eq', value: operand })),
  fc.constantFrom('a', 'B').map((text): Test => ({ kind: 'eq', value: text, fold: true })),
  fc
    .tuple(fc.constantFrom(...LIST_KINDS), fc.array(nestedValue, { maxLength: 3 }))
    .map(([kind, values]): Test => ({ kind, values })),
  fc.boolean().map((there): Test => ({ kind: 'exists', value: there })),
  fc.nat(2).map((size): Test => ({ kind: 'size', value: size })),
  fc
    .tuple(fc.constantFrom('^a', '^[ab]', 'b$'), fc.constantFrom('', 'i'))
    .map(([pattern, flags]): Test => ({ kind: 'regex', pattern, flags })),
);

/** Tests within tests, up to `depth` times. */
function testWithin(depth: number): fc.Arbitrary<Test> {
  if (depth === 0) return plainTest;
  const tests = fc.array(testWithin(depth - 1), { minLength: 1, maxLength: 2 });
  return fc.oneof(
    { arbitrary: plainTest, weight: 2 },
    { arbitrary: tests.map((inner): Test => ({ kind: 'elemMatchValue', tests: inner })), weight: 3 },
    { arbitrary: tests.map((inner): Test => ({ kind: 'not', tests: inner })), weight: 1 },
    {
      arbitrary: tests.map(
        (inner): Test => ({ kind: 'elemMatch', filter: { kind: 'field', path: 'x', tests: inner } }),
      ),
      weight: 1,
    },
  );
}
/** Tests of one path, all of which must hold. */
export const nestedTests = fc.array(testWithin(3), { minLength: 1, maxLength: 2 });
