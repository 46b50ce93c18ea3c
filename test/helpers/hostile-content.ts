// Generators of content with the right shape more often than not: filters, documents, specifications.
import fc from 'fast-check';
import { FIELD, json, key, number, scalar, text } from './hostile-values.ts';

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
