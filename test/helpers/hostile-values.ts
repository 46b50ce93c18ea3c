// Generators of single values that nobody sends by accident: odd text, numbers at the edge, any JSON, broken bodies.
import fc from 'fast-check';

/** Any code point, lone surrogates too: the unit `binary` of fast-check takes two seconds to build. */
const codePoint = fc.integer({ min: 0, max: 0x10_ffff }).map((point) => String.fromCodePoint(point));

/** `right` nine times of ten, so that what is wrong stands alone and gets past the first check. */
export function mostly<T, U>(right: fc.Arbitrary<T>, wrong: fc.Arbitrary<U>): fc.Arbitrary<T | U> {
  return fc.oneof({ weight: 9, arbitrary: right }, { weight: 1, arbitrary: wrong });
}

/** Odd, but what a document may hold and a client may ask for. */
const odd = fc.constantFrom(
  ...[
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\u202e',
    'ß',
    'İ',
    'ı',
    '💥',
    "'; DROP TABLE d_1; --",
    '"',
    '\\',
    '%',
    '_',
  ],
  ...['constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', '$where', '$', '.', 'a.b', '..'],
  ...['(a+)+$', '((a*)*)*', '[', '(?=a)', '(?<x>a)\\k<x>', '/a/i', '/(/', '^', '.*'.repeat(50)],
  ...['null', 'true', '0', '-0', 'NaN', '1e999', '9007199254740993', '2024-13-45', '2024-01-01T00:00:00Z'],
  ...['5f43a1e2b3c4d5e6f7a8b9c0', 'ffffffffffffffffffffffff', '000000000000000000000000', '../../etc/passwd'],
  'x'.repeat(5000),
);

const kept = fc.oneof(odd, fc.string({ maxLength: 12 }), fc.string({ unit: 'grapheme', maxLength: 12 }));

export const text = fc.oneof(
  { weight: 30, arbitrary: kept },
  { weight: 1, arbitrary: fc.constantFrom('\ud800', '\udfff\ud800', '__proto__') },
  { weight: 1, arbitrary: fc.string({ unit: codePoint, maxLength: 30 }) },
);

export const number = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 0.1, 40, 1000, 1e21, 2 ** 53, -(2 ** 53), 1.797e308, 5e-324),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
);

export const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));

const KNOWN_FIELDS = [
  ...[
    'title',
    'isbn',
    'pages',
    'inPrint',
    'published',
    'tags',
    'dimensions',
    'notes',
    'shelf',
    'author',
    'related',
  ],
  ...['_id', 'v', 'history', 'createdAt', 'createdBy', 'apiVersion', 'name', 'email', 'author.name'],
  ...['author.friend.name', 'author.friend', 'dimensions.w.h', 'tags.0', 'notes.a'],
];

export const field = mostly(
  fc.constantFrom(...KNOWN_FIELDS),
  fc.constantFrom('nobody', '__proto__', 'constructor.prototype', 'notes..x', '$or', 'composed', ''),
);

/** A map whose keys and values are generated. */
export function mapOf<T>(keys: fc.Arbitrary<string>, values: fc.Arbitrary<T>, maxKeys: number) {
  return fc.dictionary(keys, values, { maxKeys, noNullPrototype: true });
}

const plainKey = fc.constantFrom(
  'a',
  'b',
  'w',
  'h',
  '0',
  'x y',
  'é',
  'constructor',
  '_id',
  'composed',
  '$gt',
  'n.m',
);

/** Any JSON, at times deep, at times wide. */
export const json: fc.Arbitrary<unknown> = fc.letrec((again) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    scalar,
    fc.array(again('value'), { maxLength: 5 }),
    mapOf(mostly(plainKey, text), again('value'), 5),
  ),
})).value;

const deep = fc.integer({ min: 50, max: 3000 }).map((depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`);
const deepObject = fc.integer({ min: 20, max: 400 }).map((n) => `${'{"a":'.repeat(n)}1${'}'.repeat(n)}`);

/** The text of a body: JSON mostly, the rest broken or extreme. */
export const bodyText = fc.oneof(
  { weight: 6, arbitrary: json.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: deep },
  { weight: 1, arbitrary: deepObject },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '{', '{"title":}', '[1,', '"', 'undefined', '{"a":1,"a":2}', '\ufeff{}'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('{"__proto__":{"x":1}}', '{"title":1e999}', '{"title":"\\ud800"}', '-'),
  },
  { weight: 1, arbitrary: fc.string({ unit: codePoint, maxLength: 50 }) },
);
