// Documents, filters, sorts and indexes at random: few names and few values, so that filters hit, nested as JSON and the
// filter language allow.
import fc from 'fast-check';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import type { Filter, FilterTest, FilterTypeName } from '../../src/stores/filter.ts';
import type { IndexDefinition, Sort } from '../../src/stores/ports.ts';

const NAMES = ['a', 'b', 'c'] as const;
const INDEXED = ['a', 'b', 'c', 'a.x', 'c.x', 'c.y', 'a.x.y', 'b.x'] as const;
const PATHS = [...INDEXED, 'a.0', 'a.0.x', 'a.x.0', 'a.1.0', '_id'] as const;

const TEXTS = [
  ...['', 'a', 'A', 'ab', 'a\0b', 'a\0', 'ß', 'K', 'k', '\u212a', 'ſ', 's', 'é', '😀', '\uffff', '_', '%'],
  ...['"', '\\'],
];

const number = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 7 }) },
  { weight: 1, arbitrary: fc.constantFrom(-1e300, -2.5, -1, -0, 0.1, 255, 256, 3e9, 1e300) },
);
const text = fc.constantFrom(...TEXTS);
const scalar: fc.Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: number },
  { weight: 2, arbitrary: text },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.constant(null) },
);

const { value } = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  object: fc.dictionary(fc.constantFrom('x', 'y', '0'), tie('value'), { maxKeys: 2 }),
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 4, arbitrary: scalar },
    { weight: 3, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
    { weight: 2, arbitrary: tie('object') },
  ),
}));

/** The fields of a document. */
export const fields: fc.Arbitrary<JsonObject> = fc.dictionary(fc.constantFrom(...NAMES), value, {
  maxKeys: 3,
});

/** Mostly a single value: lists and objects are seldom equal to anything. */
const operand = fc.oneof({ weight: 4, arbitrary: scalar }, { weight: 1, arbitrary: value });

const { test } = fc.letrec<{ test: FilterTest; leaf: FilterTest; tests: FilterTest[]; filter: Filter }>(
  (tie) => ({
    leaf: fc.oneof(
      fc
        .tuple(fc.constantFrom('eq', 'gt', 'gte', 'lt', 'lte', 'ne'), operand)
        .map(([kind, of]) => ({ kind, value: of }) as FilterTest),
      text.map((of): FilterTest => ({ kind: 'eq', value: of, caseInsensitive: true })),
      fc
        .tuple(fc.constantFrom('in', 'nin', 'all'), fc.array(operand, { maxLength: 3 }))
        .map(([kind, values]) => ({ kind, values }) as FilterTest),
      fc.boolean().map((of): FilterTest => ({ kind: 'exists', value: of })),
      fc.nat(3).map((of): FilterTest => ({ kind: 'size', value: of })),
      fc
        .constantFrom('^a', '^a.b', 'b', '^(?:a|k)', '^aa?')
        .map((pattern): FilterTest => ({ kind: 'regex', pattern, flags: '' })),
      fc
        .constantFrom<FilterTypeName>('string', 'number', 'object', 'array', 'bool', 'null')
        .map((name): FilterTest => ({ kind: 'type', names: [name] })),
    ),
    tests: fc.array(tie('test'), { minLength: 1, maxLength: 2 }),
    test: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      { weight: 5, arbitrary: tie('leaf') },
      { weight: 1, arbitrary: tie('tests').map((tests): FilterTest => ({ kind: 'not', tests })) },
      { weight: 2, arbitrary: tie('tests').map((tests): FilterTest => ({ kind: 'elemMatchValue', tests })) },
      {
        weight: 1,
        arbitrary: tie('filter').map((inner): FilterTest => ({ kind: 'elemMatch', filter: inner })),
      },
    ),
    filter: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      {
        weight: 5,
        arbitrary: fc
          .tuple(fc.constantFrom('x', 'y', '0', 'x.y', 'x.0'), tie('tests'))
          .map(([path, tests]): Filter => ({ kind: 'field', path, tests })),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom('and', 'or', 'nor'), fc.array(tie('filter'), { maxLength: 2 }))
          .map(([kind, filters]): Filter => ({ kind, filters })),
      },
    ),
  }),
);

const field: fc.Arbitrary<Filter> = fc
  .tuple(fc.constantFrom(...PATHS), fc.array(test, { minLength: 1, maxLength: 2 }))
  .map(([path, tests]) => ({ kind: 'field', path, tests }));

/** Filters of whole documents. */
export const filter: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    { weight: 3, arbitrary: field },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fc.constantFrom('and', 'and', 'or', 'nor'),
          fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
        )
        .map(([kind, filters]) => ({ kind, filters }) as Filter),
    },
  ),
})).filter;

const direction = fc.constantFrom<1 | -1>(1, -1);
/** Mostly none: an order decides which index is read. */
export const sort: fc.Arbitrary<Sort> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Sort>([]) },
  { weight: 1, arbitrary: fc.array(fc.tuple(fc.constantFrom(...PATHS), direction), { maxLength: 2 }) },
);

export const definition: fc.Arbitrary<Omit<IndexDefinition, 'name'>> = fc.record({
  keys: fc.uniqueArray(fc.record({ path: fc.constantFrom(...NAMES, ...INDEXED), direction }), {
    minLength: 1,
    maxLength: 2,
    selector: (key) => key.path,
  }),
  unique: fc.constant(false),
  sparse: fc.boolean(),
});
