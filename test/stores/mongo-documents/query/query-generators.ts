// Random documents and queries that go into the corners: names that look like operators, letters of which collations
// know nothing, patterns of all kinds.
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../../src/lib/json/json.ts';
import type { Filter, FilterTest, FilterTypeName } from '../../../../src/stores/filter.ts';
import type { Projection, Sort } from '../../../../src/stores/ports.ts';
import { idOf } from '../../../contracts/store-cases.ts';

const HEX = '65a1b2c3d4e5f60718293a4b';
const ISO = '2024-01-02T03:04:05.678Z';

const number = fc.constantFrom(-1e300, -2.5, -0, 0, 0.1, 1, 2, 255, 3e9, 2 ** 53, 2 ** 53 + 2);
const text = fc.constantFrom(
  ...['', 'a', 'A', 'ab', 'aB', 'AB\n', 'a\0b', 'a\nb', 'ß', 'ẞ', 'ss', 'K', 'k', '\u212a', 'ſ', 's', 'S'],
  ...['é', 'É', 'e', 'e\u0301', 'ი', 'Ი', 'Т', 'т', 'ᲄ', 'ι', '\u0345', '\u1fbe', 'İ', 'i', 'ı', 'I'],
  ...['😀', '\uffff', '_', '%', '"', '\\', 'a b', 'a-b', '\u00ad', 'foo bar', 'Foo.Bar'],
  ...[HEX, HEX.toUpperCase(), ISO, ISO.toLowerCase()],
);
const idText = fc.constantFrom('', '0', 'f', 'zzz', idOf(7919), `${idOf(7919)}0`, idOf(15838).toUpperCase());
const scalar: fc.Arbitrary<Json> = fc.oneof(number, text, text, fc.boolean(), fc.constant(null));

const member = fc.constantFrom('x', 'y', 'x', 'y', '$bar', '', '_id', '__proto__', 'a.b', '_bsontype');
function objectOf(value: fc.Arbitrary<Json>): fc.Arbitrary<JsonObject> {
  const members = fc.uniqueArray(fc.tuple(member, value), { maxLength: 2, selector: ([name]) => name });
  return members.map((entries) => Object.fromEntries(entries));
}

const object = objectOf(fc.oneof(scalar, fc.array(scalar, { maxLength: 2 }), objectOf(scalar)));
const element = fc.oneof(scalar, object, fc.array(fc.oneof(scalar, object), { maxLength: 2 }));
const value: fc.Arbitrary<Json> = fc.oneof(
  { weight: 5, arbitrary: scalar },
  { weight: 2, arbitrary: object },
  { weight: 3, arbitrary: fc.array(element, { maxLength: 3 }) },
);

/** The fields of a document. */
export const fields: fc.Arbitrary<JsonObject> = fc
  .dictionary(fc.constantFrom('a', 'b', 'c'), value, { maxKeys: 3 })
  // Negative zero is no value of its own in the database.
  .map((entry) => JSON.parse(JSON.stringify(entry)));

const path = fc.constantFrom(
  ...['a', 'a', 'a', 'b', 'c', 'a.x', 'c.x', 'c.y', 'a.0', 'a.0.x', '_id', '_id', 'a.x.y', 'a.x.0'],
  ...['a.$bar', 'a.', 'a..x', 'a.__proto__', '', '$a', 'x\0y', 'a._id'],
);

const PATTERNS = [
  ...['^a', '^a.b', 'b', '^(?:a|k)', '^aa?', '^s$', '^$', '$', '.*b', '^.*b', 'a.*b', '(a|b)+', '[^a]'],
  ...[
    '\\W',
    '\\w\\b',
    '\\Bb',
    '\\s',
    '\\p{L}',
    'a{1,2}b?',
    '^(?:|a)$',
    '[\\d\\D]*b',
    '[]',
    '(?i:a)b',
    '[é-ë]',
  ],
  ...['a$\\n', '(?:a+)?b', `^${HEX.slice(0, 5)}`, '3d'],
];
const regex = fc
  .tuple(fc.constantFrom(...PATTERNS), fc.constantFrom('', 'i', 'm', 's', 'ims'))
  .map(([pattern, flags]): FilterTest => ({ kind: 'regex', pattern, flags }));

const { test } = fc.letrec<{ test: FilterTest; inner: Filter }>((tie) => ({
  inner: fc
    .tuple(
      fc.constantFrom('x', 'y', '0', '_id', 'x.y'),
      fc.array(tie('test'), { minLength: 1, maxLength: 2 }),
    )
    .chain(([name, tests]) => {
      const one: Filter = { kind: 'field', path: name, tests };
      return fc.constantFrom<Filter>(one, { kind: 'nor', filters: [one] }, { kind: 'and', filters: [] });
    }),
  test: fc.oneof(
    { maxDepth: 3 },
    { weight: 3, arbitrary: value.map((operand): FilterTest => ({ kind: 'eq', value: operand })) },
    {
      weight: 5,
      arbitrary: fc
        .oneof(text, idText)
        .map((operand): FilterTest => ({ kind: 'eq', value: operand, caseInsensitive: true })),
    },
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.constantFrom('gt', 'gte', 'lt', 'lte', 'ne'), fc.oneof(value, idText))
        .map(([kind, operand]) => ({ kind, value: operand }) as FilterTest),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom('in', 'nin', 'all'), fc.array(fc.oneof(value, idText), { maxLength: 3 }))
        .map(([kind, values]) => ({ kind, values }) as FilterTest),
    },
    { weight: 1, arbitrary: fc.boolean().map((operand): FilterTest => ({ kind: 'exists', value: operand })) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(0, 1, 2, 2 ** 40).map((size): FilterTest => ({ kind: 'size', value: size })),
    },
    { weight: 4, arbitrary: regex },
    {
      weight: 1,
      arbitrary: fc
        .uniqueArray(fc.constantFrom<FilterTypeName>('string', 'number', 'array', 'null', 'object', 'bool'), {
          minLength: 1,
          maxLength: 2,
        })
        .map((names): FilterTest => ({ kind: 'type', names })),
    },
    {
      weight: 2,
      arbitrary: fc.array(tie('test'), { maxLength: 2 }).map((tests): FilterTest => ({ kind: 'not', tests })),
    },
    {
      weight: 3,
      arbitrary: fc
        .array(tie('test'), { maxLength: 3 })
        .map((tests): FilterTest => ({ kind: 'elemMatchValue', tests })),
    },
    { weight: 2, arbitrary: tie('inner').map((inner): FilterTest => ({ kind: 'elemMatch', filter: inner })) },
  ),
}));

const field: fc.Arbitrary<Filter> = fc
  .tuple(path, fc.array(test, { minLength: 1, maxLength: 2 }))
  .map(([name, tests]) => ({ kind: 'field', path: name, tests }));

/** Any filter. */
export const filter: fc.Arbitrary<Filter> = fc.oneof(
  field,
  fc
    .tuple(fc.constantFrom('and', 'and', 'or', 'nor'), fc.array(field, { minLength: 1, maxLength: 3 }))
    .map(([kind, filters]) => ({ kind, filters }) as Filter),
);

const direction = fc.constantFrom<1 | -1>(1, -1);

/** Any order. */
export const sort: fc.Arbitrary<Sort> = fc.array(fc.tuple(path, direction), { maxLength: 2 });

const paths = fc.array(path, { maxLength: 3 });

/** Any projection, or null for none. */
export const projection: fc.Arbitrary<Projection | null> = fc.option(
  fc.record({ include: paths, exclude: paths }, { requiredKeys: [] }),
);
