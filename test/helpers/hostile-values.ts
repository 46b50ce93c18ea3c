// Generators of single values that nobody sends by accident: odd text, numbers at the edge, any JSON, broken bodies.
import fc from 'fast-check';

const NASTY_TEXT = fc.constantFrom(
  ...[
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\udfff\ud800',
    '\u202e',
    'ß',
    'İ',
    'ı',
    '💥',
    "'; DROP TABLE d_1; --",
  ],
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'length',
    '$where',
    '$',
    '.',
    'a.b',
    '..',
  ],
  ...['(a+)+$', '((a*)*)*', '[', '(?=a)', '\\', '(?<x>a)\\k<x>', '/a/i', '/(/', '^', '.*'.repeat(50)],
  ...['null', 'true', '0', '-0', 'NaN', '1e999', '9007199254740993', '2024-13-45', '2024-01-01T00:00:00Z'],
  ...['5f43a1e2b3c4d5e6f7a8b9c0', 'ffffffffffffffffffffffff', '000000000000000000000000', '../../etc/passwd'],
  'x'.repeat(5000),
);

export const text = fc.oneof(
  NASTY_TEXT,
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ maxLength: 12 }),
);

export const number = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 0.1, 40, 1000, 1e21, 2 ** 53, -(2 ** 53), 1.797e308, 5e-324),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
);

export const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));

export const FIELD = fc.constantFrom(
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
  ...[
    '_id',
    'v',
    'history',
    'createdAt',
    'createdBy',
    'apiVersion',
    'composed',
    'name',
    'email',
    'author.name',
  ],
  ...[
    'author.friend.name',
    'dimensions.w.h',
    'tags.0',
    'nobody',
    '__proto__',
    'constructor.prototype',
    'notes..x',
    '$or',
  ],
);

export const key = fc.oneof(FIELD, text);

/** Any JSON, at times deep, at times wide. */
export const json: fc.Arbitrary<unknown> = fc.letrec((again) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    scalar,
    fc.array(again('value'), { maxLength: 5 }),
    fc.dictionary(key, again('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
})).value;

const deep = fc.integer({ min: 50, max: 3000 }).map((depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`);

/** The text of a body: JSON mostly, the rest broken or extreme. */
export const bodyText = fc.oneof(
  { weight: 6, arbitrary: json.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: deep },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 20, max: 400 }).map((n) => `${'{"a":'.repeat(n)}1${'}'.repeat(n)}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '{', '{"title":}', '[1,', '"', 'undefined', '{"a":1,"a":2}', '\ufeff{}'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('{"__proto__":{"x":1}}', '{"title":1e999}', '{"title":"\\ud800"}', '-'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 50 }) },
);
