// What clients may ask of a generated world: every operator of the allow-list, sorts, pages, projections, and writes.
import fc from 'fast-check';
import type { ReadRequest } from '../../../src/collections/model/read-parameters.ts';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { idOf } from '../../contracts/store-cases.ts';
import { pair } from './pair.ts';
import { pick, pickId } from './picks.ts';
import { body } from './specifications.ts';
import { id, number, scalar, text, value } from './values.ts';

const PATHS = [
  ...['text', 'text', 'tags', 'exact', 'num', 'flag', 'when', 'any', 'any.x', 'any.y', 'any.0', 'any.x.y'],
  ...['any.0.x', 'deep', 'deep.x', 'deep.y', 'code', 'who', 'who.name', 'who.age', '_id', 'v', 'history'],
  ...['createdBy', 'createdAt', 'nosuch'],
];

const PATTERNS = [
  ...['a', '^a', 'A$', '^$', '.', '^.b', 's', 'ß', 'k+', '^(a|b)', '[^a]', 'e.?', '\\d', '\\.', '^[a-k]s*$'],
  ...[
    'σ',
    'i',
    'İ',
    'ა',
    '\\w',
    '\\s',
    'ss?',
    'a{2}',
    '(a|ab)(c|bcd)*',
    '^\\n',
    '.*b.*',
    '\\x00',
    '\\u017f',
    '(?=a)',
    '(',
  ],
];

const flags = fc.constantFrom('', 'i', 'm', 's', 'im', 'is');
const list = (entries: fc.Arbitrary<Json>) => fc.array(entries, { maxLength: 3 });
const pattern = fc.constantFrom(...PATTERNS);

const operator: fc.Arbitrary<JsonObject> = fc.letrec<{ operator: JsonObject; element: JsonObject }>(
  (tie) => ({
    /** What `$elemMatch` asks of the members of an element. */
    element: fc.oneof(
      { maxDepth: 3 },
      fc.tuple(fc.constantFrom('x', 'y', '0', 'x.y', 'x.0'), scalar).map(pair),
      fc.tuple(fc.constantFrom('x', 'y', '0'), tie('operator')).map(pair),
      fc
        .tuple(
          fc.constantFrom('$and', '$or', '$nor'),
          fc.array(tie('element'), { minLength: 1, maxLength: 2 }),
        )
        .map(pair),
    ),
    operator: fc.oneof(
      { maxDepth: 3 },
      fc.tuple(fc.constantFrom('$eq', '$ne'), value).map(([name, operand]) => ({ [name]: operand })),
      fc
        .tuple(
          fc.constantFrom('$gt', '$gte', '$lt', '$lte'),
          fc.oneof({ weight: 5, arbitrary: scalar }, value),
        )
        .map(([name, operand]) => ({ [name]: operand })),
      fc.tuple(number, number).map(([from, to]) => ({ $gte: from, $lt: to })),
      fc
        .tuple(fc.constantFrom('$in', '$nin', '$all'), list(value))
        .map(([name, operand]) => ({ [name]: operand })),
      pattern.map((source) => ({ $regex: source })),
      fc.tuple(pattern, flags).map(([$regex, $options]) => ({ $regex, $options })),
      fc.boolean().map(($exists) => ({ $exists })),
      fc.nat(3).map(($size) => ({ $size })),
      fc
        .constantFrom<Json>('string', 'number', 'object', 'array', 'bool', 'null', ['string', 'null'])
        .map(($type) => ({ $type })),
      fc.tuple(pattern, flags).map(([source, options]) => ({ $not: `/${source}/${options}` })),
      tie('operator').map((inner) => ({ $not: inner })),
      { weight: 2, arbitrary: tie('operator').map((inner) => ({ $elemMatch: inner })) },
      { weight: 2, arbitrary: tie('element').map((inner) => ({ $elemMatch: inner })) },
      fc.tuple(tie('operator'), tie('operator')).map(([one, other]) => ({ ...one, ...other })),
      fc.constantFrom<JsonObject>({ $where: 'true' }, { $mod: [2, 0] }, { $gt: { $gt: 1 } }, { $size: -1 }),
    ),
  }),
).operator;

/** Operands that are no values of the field's type, as people write them. */
const foreign: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.constantFrom('when', 'num', 'flag', 'code', 'who', 'createdAt', 'who.age', 'exact'),
    fc.constantFrom('', '$gte', '$lt', '$ne', '$in', '$nin', '$eq', '$not'),
    fc.constantFrom<Json>(
      ...['2023-01-29 12:00:00', '2023-01-29t12:00:00z', '31/12/2020', '20230130', '2023-02-30', '', 'x'],
      ...['1,000', 'True', '1e400', '0x10', ' 7 ', 1e300, -0, 12.5, true, null, [], {}, { _id: idOf(1) }],
    ),
  )
  .map(([path, name, operand]) => {
    if (name === '') return { [path]: operand };
    if (name === '$not') return { [path]: { $not: { $gte: operand } } };
    return { [path]: { [name]: name.endsWith('in') ? [operand, 1] : operand } };
  });

/** A path with a value that some document has there, alone or under an operator. */
const likely: fc.Arbitrary<JsonObject> = fc
  .constantFrom(...PATHS.filter((path) => path !== 'nosuch'))
  .chain((path) =>
    fc
      .tuple(
        path === '_id' ? pickId : pick(path),
        fc.constantFrom('', '', '', '$eq', '$in', '$gte', '$lt', '$ne'),
      )
      .map(([operand, name]) => {
        if (name === '') return { [path]: operand };
        return { [path]: { [name]: name === '$in' ? [operand] : operand } };
      }),
  );

const condition: fc.Arbitrary<JsonObject> = fc.oneof(
  { weight: 2, arbitrary: likely },
  { weight: 1, arbitrary: foreign },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...PATHS),
        fc.oneof(
          { weight: 3, arbitrary: text as fc.Arbitrary<Json> },
          { weight: 2, arbitrary: fc.oneof(value, id) },
          { weight: 6, arbitrary: operator },
        ),
      )
      .map(([path, operand]) => ({ [path]: operand })),
  },
);

const conditions = fc.array(condition, { minLength: 1, maxLength: 3 });

const filter: fc.Arbitrary<JsonObject> = fc.oneof(
  { weight: 6, arbitrary: condition },
  { weight: 3, arbitrary: conditions.map((all) => Object.assign({}, ...all) as JsonObject) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom('$and', '$or', '$nor'), conditions)
      .map(([name, all]) => ({ [name]: all })),
  },
  { weight: 1, arbitrary: fc.constant({}) },
);

const SORTED = [
  'text',
  'tags',
  'exact',
  'num',
  'flag',
  'when',
  'any',
  'any.x',
  'deep',
  'deep.x',
  'code',
  'who',
  '_id',
  'v',
];

const sort: fc.Arbitrary<string | JsonObject> = fc.oneof(
  fc.constantFrom(...SORTED),
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...SORTED, 'nosuch'), fc.constantFrom(1, -1)), {
      minLength: 1,
      maxLength: 3,
      selector: ([path]) => path,
    })
    .map((keys) => Object.fromEntries(keys)),
);

const fields: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.constantFrom(0, 1),
    fc.uniqueArray(
      fc.constantFrom(
        'text',
        'num',
        'any',
        'any.x',
        'any.y',
        'deep',
        'deep.x',
        'deep.0',
        'who',
        'v',
        'nosuch',
        '_id',
      ),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
  )
  .map(([shown, names]) => Object.fromEntries(names.map((name) => [name, shown])));

const maybe = <T>(arbitrary: fc.Arbitrary<T>, weight = 2) =>
  fc.oneof({ weight, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

/** Query parameters of a read. */
const read: fc.Arbitrary<ReadRequest> = fc
  .record({
    filter: fc.oneof({ weight: 9, arbitrary: filter }, fc.constant(undefined)),
    sort: maybe(sort, 1),
    sortOrder: maybe(fc.constantFrom<1 | -1>(1, -1), 4),
    pageSize: maybe(fc.constantFrom(0, 1, 2, 5, 1000), 1),
    page: maybe(fc.integer({ min: 1, max: 3 }), 4),
    skip: maybe(fc.nat(4), 4),
    fields: maybe(fields, 3),
    compose: maybe(fc.boolean(), 4),
    includeHistory: maybe(fc.boolean(), 8),
  })
  .map((request) => Object.fromEntries(Object.entries(request).filter(([, asked]) => asked !== undefined)));

export type Operation =
  | { readonly kind: 'list' | 'count'; readonly request: ReadRequest }
  | { readonly kind: 'get' | 'history'; readonly id: string; readonly request: ReadRequest }
  | { readonly kind: 'create'; readonly body: Json }
  | { readonly kind: 'update'; readonly id: string; readonly body: Json }
  | { readonly kind: 'updateMany'; readonly query: JsonObject; readonly update: Json }
  | { readonly kind: 'remove'; readonly id: string }
  | { readonly kind: 'removeMany'; readonly query: JsonObject }
  | { readonly kind: 'stats' };

const someId = fc.oneof({ weight: 6, arbitrary: pickId }, id);

/** One request of a client. */
export const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 16, arbitrary: read.map((request): Operation => ({ kind: 'list', request })) },
  { weight: 3, arbitrary: read.map((request): Operation => ({ kind: 'count', request })) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('get' as const, 'history' as const),
      id: someId,
      request: read,
    }),
  },
  {
    weight: 2,
    arbitrary: fc
      .oneof(body, fc.array(body, { minLength: 1, maxLength: 4 }))
      .map((sent): Operation => ({ kind: 'create', body: sent as Json })),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('update' as const), id: someId, body }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('updateMany' as const), query: filter, update: body }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), id: someId }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('removeMany' as const), query: fc.oneof(likely, filter) }),
  },
  { weight: 1, arbitrary: fc.constant<Operation>({ kind: 'stats' }) },
);
