// Values on which two databases might disagree: letters with odd cases, numbers at the edges, nested things, ids, dates.
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { idOf } from '../../contracts/store-cases.ts';

const LETTERS = [
  ...['a', 'A', 'b', 'B', 'e', 'é', 'É', 'e\u0301', 's', 'S', 'ſ', 'ß', 'ẞ', 'ss', 'k', 'K', '\u212a'],
  ...['å', 'Å', '\u212b', 'i', 'I', 'İ', 'ı', 'σ', 'ς', 'Σ', 'ﬀ', 'ff', 'ა', 'Ა', 'ꭰ', 'Ꭰ', '𐐨', '𐐀'],
  ...['ǆ', 'ǅ', 'Ǆ', 'µ', 'μ', 'θ', 'ϑ', '0', '1', ' ', '\t', '\n', '\u2028', '\0', '_', '%', '"', '\\'],
  ...['.', '*', '+', '(', '[', '^', '$', '|', '/', '😀', '\uffff', '\u0300', '\u00ad', '日', '-'],
] as const;

const TEXTS = [
  ...['', 'true', 'null', '12', '1e3', 'Straße', 'STRASSE', 'strasse', 'GROẞE', 'große', 'Ὀδυσσεύς'],
  ...['ὈΔΥΣΣΕΎΣ', 'istanbul', 'İstanbul', 'ISTANBUL', 'ıstanbul', 'naive', 'naïve', 'Naïve', 'co-op', 'coop'],
  ...[
    '2024-02-29',
    '2024-02-29T12:00:00.000Z',
    '2024-02-29T13:00:00+01:00',
    idOf(1),
    idOf(2),
    'A'.repeat(24),
  ],
];

/** Text of zero to a few letters, so that equal and nearly equal ones are frequent. */
export const text: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.array(fc.constantFrom(...LETTERS), { maxLength: 3 }).map((all) => all.join('')),
  },
  { weight: 2, arbitrary: fc.constantFrom(...TEXTS) },
);

export const number: fc.Arbitrary<number> = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: -3, max: 12 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...[-0, 0.1, -2.5, 1e-7, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1, 2 ** 32, 2 ** 53 - 1],
      ...[2 ** 53, 2 ** 53 + 2, -(2 ** 53) - 2, 2 ** 62, 2 ** 63, -(2 ** 63), 2 ** 64, 1e21, 1e300, -1e300],
      ...[5e-324, 1.7976931348623157e308, 1_709_208_000_000],
    ),
  },
);

/** Ids of the first documents of a world, those of documents that never were, and both spellings of one. */
export const id: fc.Arbitrary<string> = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 40 }).map(idOf) },
  { weight: 1, arbitrary: fc.constantFrom('f'.repeat(24), 'F'.repeat(24), idOf(10).toUpperCase()) },
);

export const scalar: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 3, arbitrary: number },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: id },
  { weight: 1, arbitrary: fc.constant(null) },
);

const KEYS = ['x', 'y', 'x', 'y', '0', 'X', 'a b', '$x', '$ref', '$id', 'x.y', '', '_id', 'é'];

/** Lists in lists and in objects, and objects of few and colliding names, some of which mean something to a database. */
const { object, nested } = fc.letrec<{ nested: Json; object: JsonObject }>((tie) => ({
  object: fc.dictionary(fc.constantFrom(...KEYS), tie('nested'), { maxKeys: 3 }),
  nested: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 6, arbitrary: scalar },
    { weight: 2, arbitrary: fc.array(tie('nested'), { maxLength: 3 }) },
    { weight: 1, arbitrary: tie('object') },
  ),
}));

export { object };

export const value: fc.Arbitrary<Json> = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 4, arbitrary: fc.array(nested, { maxLength: 3 }) },
  { weight: 2, arbitrary: object },
);
