// Generators of content with the right shape more often than not: filters, documents, specifications.
import fc from 'fast-check';
import { field, json, mapOf, mostly, number, scalar, text } from './hostile-values.ts';

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
  ...['$size', '$type', '$not', '$eq', '$in', '$gt'],
);
const FORBIDDEN = fc.constantFrom(
  '$where',
  '$function',
  '$expr',
  '$text',
  '$geoWithin',
  '$mod',
  '$and',
  '$nope',
);

/** Operands of the kind that their operator takes. */
const test = fc.oneof(
  mapOf(fc.constantFrom('$eq', '$ne', '$gt', '$gte', '$lt', '$lte'), scalar, 3),
  mapOf(fc.constantFrom('$in', '$nin', '$all'), fc.array(scalar, { maxLength: 4 }), 2),
  fc.record(
    { $regex: text, $options: fc.constantFrom('', 'i', 'm', 's', 'ims', 'x') },
    { requiredKeys: ['$regex'] },
  ),
  fc.record({ $exists: fc.boolean() }),
  fc.record({ $size: mostly(fc.nat(5), number) }),
  fc.record({ $type: fc.constantFrom('string', 'number', 'object', 'array', 'bool', 'null', 'date', 2) }),
);

/** Filters that have the right shape more often than not. */
export const filter: fc.Arbitrary<unknown> = fc.letrec((again) => ({
  filter: fc.oneof(
    { maxDepth: 4 },
    { weight: 6, arbitrary: mapOf(field, again('test'), 3) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('$and', '$or', '$nor'), fc.array(again('filter'), { maxLength: 3 }))
        .map(([operator, list]) => ({ [operator]: list })),
    },
    { weight: 1, arbitrary: json },
  ),
  test: fc.oneof(
    { maxDepth: 4 },
    { weight: 4, arbitrary: scalar },
    { weight: 6, arbitrary: test },
    { weight: 1, arbitrary: test.map((inner) => ({ $not: inner })) },
    { weight: 1, arbitrary: again('filter').map((inner) => ({ $elemMatch: inner })) },
    { weight: 1, arbitrary: mapOf(mostly(OPERATOR, FORBIDDEN), again('operand'), 3) },
  ),
  operand: fc.oneof({ maxDepth: 4 }, scalar, fc.array(scalar, { maxLength: 4 }), again('test'), json),
})).filter;

const id = fc.constantFrom(
  '5f43a1e2b3c4d5e6f7a8b9c0',
  'FFFFFFFFFFFFFFFFFFFFFFFF',
  '000000000000000000000000',
);
const person = mostly(
  fc.record({ name: text, born: number, email: text, _id: id, v: number }, { requiredKeys: ['name'] }),
  json,
);
/** For values with many neighbours: one wrong among them is enough. */
const one = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 40, arbitrary: value }, { weight: 1, arbitrary: json });

/** A book that is right but for a field or two. */
const book = fc.record(
  {
    title: one(text),
    isbn: one(fc.constantFrom('9780441478125', '0-441-47812-3')),
    pages: one(number),
    inPrint: one(fc.boolean()),
    published: one(fc.constantFrom('2024-02-29T12:00:00Z', '1969-03-01', '2023-02-29')),
    tags: one(fc.array(text, { maxLength: 3 })),
    dimensions: one(mapOf(fc.constantFrom('w', 'h', 'd'), json, 3)),
    notes: json,
    shelf: one(id),
    author: one(fc.oneof(id, person, fc.constant(null))),
    related: one(
      fc.oneof(id, fc.array(id, { maxLength: 3 }), fc.array(fc.record({ title: text }), { maxLength: 2 })),
    ),
    v: json,
    history: json,
    composed: json,
  },
  { requiredKeys: ['title'] },
);

/** Documents of the books collection. */
export const document = mostly(book, fc.oneof(json, mapOf(field, json, 6)));

const fieldSpecification = one(
  fc.record(
    {
      type: one(
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
      ),
      required: one(fc.boolean()),
      default: one(fc.constant(null)),
      matchType: one(fc.constant('exact')),
      message: one(text),
      validation: one(
        fc.record(
          {
            minLength: one(fc.nat(3)),
            maxLength: one(fc.integer({ min: 3, max: 60 })),
            regex: one(fc.record({ pattern: text })),
          },
          { requiredKeys: [] },
        ),
      ),
      settings: one(
        fc.record(
          { collection: fc.constantFrom('books', 'people', 'junk', 'nowhere'), fields: fc.array(text) },
          { requiredKeys: [] },
        ),
      ),
    },
    { requiredKeys: [] },
  ),
);

const NAMES = ['title', 'body', 'año', 'x y', 'a-b', 'constructor', 'toString'];
const name = fc.oneof({ weight: 60, arbitrary: fc.constantFrom(...NAMES) }, { weight: 1, arbitrary: text });

const settings = fc.record(
  {
    cache: one(fc.boolean()),
    authenticate: one(
      fc.oneof(fc.boolean(), fc.array(fc.constantFrom('GET', 'post', 'BREW'), { maxLength: 2 })),
    ),
    count: one(fc.integer({ min: 1, max: 100 })),
    sort: one(name),
    sortOrder: one(fc.constantFrom(1, -1)),
    defaultFilters: one(fc.oneof(fc.constant(null), mapOf(name, scalar, 2))),
    fieldLimiters: one(mapOf(name, fc.constantFrom(0, 1), 3)),
    storeRevisions: one(fc.boolean()),
    revisionCollection: mostly(
      fc.constant('junkPast'),
      fc.oneof(text, fc.constantFrom('books', 'cloister.clients')),
    ),
    index: one(
      fc.record(
        {
          keys: mapOf(name, one(fc.constantFrom(1, -1)), 3),
          options: fc.record(
            { unique: fc.boolean(), sparse: fc.boolean(), name: text },
            { requiredKeys: [] },
          ),
        },
        { requiredKeys: ['keys'] },
      ),
    ),
    compose: one(fc.boolean()),
    callback: one(fc.constantFrom(null, 'done')),
  },
  { requiredKeys: [] },
);

/** Specifications that are nearly right, or right. */
export const specification = mostly(
  fc.record({ fields: mapOf(name, fieldSpecification, 4), settings }, { requiredKeys: ['fields'] }),
  json,
);
