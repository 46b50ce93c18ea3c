// Generators of input that nobody sends by accident: odd JSON, half-right specifications, documents, filters, requests.
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

const number = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 0.1, 40, 1000, 1e21, 2 ** 53, -(2 ** 53), 1.797e308, 5e-324),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
);

export const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));

const FIELD = fc.constantFrom(
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

const OPERATOR = fc.constantFrom(
  ...[
    '$eq',
    '$ne',
    '$gt',
    '$gte',
    '$lt',
    '$lte',
    '$in',
    '$nin',
    '$exists',
    '$regex',
    '$options',
    '$all',
    '$elemMatch',
  ],
  ...[
    '$size',
    '$type',
    '$not',
    '$and',
    '$or',
    '$nor',
    '$where',
    '$function',
    '$expr',
    '$text',
    '$geoWithin',
    '$mod',
  ],
);

/** Filters that have the right shape more often than not. */
export const filter: fc.Arbitrary<unknown> = fc.letrec((again) => ({
  filter: fc.oneof(
    { maxDepth: 4 },
    { weight: 3, arbitrary: fc.dictionary(FIELD, again('test'), { maxKeys: 3, noNullPrototype: true }) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('$and', '$or', '$nor'), fc.array(again('filter'), { maxLength: 3 }))
        .map(([operator, list]) => ({ [operator]: list })),
    },
    { weight: 1, arbitrary: json },
  ),
  test: fc.oneof(
    { maxDepth: 4 },
    { weight: 3, arbitrary: scalar },
    {
      weight: 3,
      arbitrary: fc.dictionary(OPERATOR, again('operand'), { maxKeys: 3, noNullPrototype: true }),
    },
    { weight: 1, arbitrary: again('filter') },
  ),
  operand: fc.oneof({ maxDepth: 4 }, scalar, fc.array(scalar, { maxLength: 4 }), again('test'), json),
})).filter;

/** Documents of the books collection that are wrong in some fields and right in others. */
export const document = fc.oneof(
  fc
    .tuple(
      fc.record({ title: text, pages: number, tags: fc.array(text, { maxLength: 3 }) }, { requiredKeys: [] }),
      json,
    )
    .map(([right, notes]) => ({ title: 'A title', ...right, notes })),
  fc.dictionary(FIELD, json, { maxKeys: 6, noNullPrototype: true }),
  json,
);

const fieldSpecification = fc.oneof(
  fc.record(
    {
      type: fc.oneof(
        fc.constantFrom(
          'String',
          'Number',
          'Boolean',
          'Mixed',
          'Object',
          'ObjectID',
          'Reference',
          'DateTime',
        ),
        scalar,
      ),
      required: fc.oneof(fc.boolean(), scalar),
      default: json,
      matchType: fc.oneof(fc.constant('exact'), scalar),
      message: scalar,
      validation: fc.oneof(
        fc.record(
          {
            minLength: fc.oneof(fc.nat(10), scalar),
            maxLength: scalar,
            regex: fc.oneof(fc.record({ pattern: text }), json),
          },
          { requiredKeys: [] },
        ),
        json,
      ),
      settings: fc.oneof(
        fc.record({ collection: text, database: text, fields: fc.array(text) }, { requiredKeys: [] }),
        json,
      ),
    },
    { requiredKeys: [] },
  ),
  json,
);

const settings = fc.record(
  {
    cache: scalar,
    authenticate: fc.oneof(fc.boolean(), fc.array(fc.constantFrom('GET', 'post', 'BREW')), scalar),
    count: fc.oneof(fc.integer({ min: 1, max: 100 }), scalar),
    sort: fc.oneof(key, json),
    sortOrder: fc.oneof(fc.constantFrom(1, -1), scalar),
    defaultFilters: fc.oneof(filter, json),
    fieldLimiters: fc.oneof(
      fc.dictionary(key, fc.constantFrom(0, 1), { maxKeys: 3, noNullPrototype: true }),
      json,
    ),
    storeRevisions: fc.oneof(fc.boolean(), scalar),
    revisionCollection: fc.oneof(text, fc.constantFrom('books', 'cloister.clients', 'junkHistory')),
    index: fc.oneof(
      fc.record(
        {
          keys: fc.dictionary(key, fc.oneof(fc.constantFrom(1, -1), scalar), {
            maxKeys: 3,
            noNullPrototype: true,
          }),
          options: fc.record(
            { unique: fc.boolean(), sparse: fc.boolean(), name: text },
            { requiredKeys: [] },
          ),
        },
        { requiredKeys: ['keys'] },
      ),
      json,
    ),
    compose: scalar,
    callback: scalar,
    type: scalar,
  },
  { requiredKeys: [] },
);

/** Specifications that are nearly right. */
export const specification = fc.oneof(
  fc.record({
    fields: fc.dictionary(key, fieldSpecification, { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
    settings,
  }),
  fc.record({ fields: fc.constant({ title: { type: 'String' } }), settings }),
  json,
);

const PARAMETER = fc.constantFrom(
  ...[
    'filter',
    'fields',
    'sort',
    'sortOrder',
    'count',
    'page',
    'skip',
    'compose',
    'includeHistory',
    'historyFilters',
  ],
  ...['cache', 'callback', 'x', '__proto__', 'filter[a]', ''],
);
const parameterValue = fc.oneof(
  text,
  filter.map((value) => JSON.stringify(value)),
  json.map((value) => JSON.stringify(value)),
  fc.constantFrom(
    '1',
    '-1',
    '0',
    '1e3',
    '99999999999999999999',
    'all',
    'asc',
    '{"title":1,"pages":0}',
    '[{"$match":{}}]',
  ),
);

/** A query string, at times not even percent-encoded right. */
export const queryString = fc.oneof(
  fc
    .array(fc.tuple(PARAMETER, parameterValue), { maxLength: 4 })
    .map((pairs) =>
      pairs.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&'),
    ),
  fc.constantFrom(
    '%',
    '%zz',
    'filter=%',
    'filter=%ff',
    'a=%00',
    '&&&',
    '=',
    `filter=${'['.repeat(2000)}`,
    `x=${'y'.repeat(17_000)}`,
  ),
);

const segment = fc.oneof(
  fc.constantFrom(
    ...['1.0', 'library', 'books', 'people', 'config', 'stats', 'count', 'history', 'api', 'token', 'junk'],
  ),
  fc.constantFrom(
    ...[
      'collections',
      'clients',
      'status',
      'flush',
      '..',
      '.',
      '%2e%2e',
      '%2f',
      '%00',
      '%zz',
      '__proto__',
      '',
    ],
  ),
  text.map((value) => encodeURIComponent(value.toWellFormed())),
);

export const path = fc.array(segment, { maxLength: 6 }).map((parts) => `/${parts.join('/')}`);

export const method = fc.constantFrom(
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'PROPFIND',
  'TRACE',
);

const latin = fc.string({
  unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
  maxLength: 40,
});

/** Headers as they come off a socket: any Latin-1 text. */
export const headers = fc.dictionary(
  fc.constantFrom(
    ...['content-type', 'accept', 'if-match', 'if-none-match', 'authorization', 'content-encoding', 'origin'],
    ...[
      'x-http-method-override',
      'x-request-id',
      'x-forwarded-for',
      'access-control-request-method',
      'range',
      'cookie',
    ],
  ),
  fc.oneof(
    latin,
    fc.constantFrom(
      'application/json',
      'text/plain',
      'application/json; charset=utf-16',
      'gzip',
      '*',
      '"1"',
      'W/"1-x"',
    ),
    fc.constantFrom(
      'Bearer',
      'Bearer x.y.z',
      'Bearer eyJhbGciOiJub25lIn0.e30.',
      'Basic YTpi',
      'null',
      'http://evil.example',
    ),
  ),
  { maxKeys: 4, noNullPrototype: true },
);
