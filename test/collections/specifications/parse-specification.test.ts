import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseSpecification } from '../../../src/collections/specifications/parse-specification.ts';
import { AppError } from '../../../src/errors/errors.ts';
import type { Json } from '../../../src/lib/json/json.ts';
import { BOOKS_ADDRESS, itemsOf, makeCollection, parse } from '../../helpers/fixtures/specifications.ts';

const shared = { enableCollectionDatabases: false };
const items = (source: Json) => itemsOf(() => parseSpecification(source, BOOKS_ADDRESS, shared));

test('the blocks `fields` and `settings` are required', () => {
  expect(items({})).toEqual([
    { section: 'fields', field: 'fields', message: 'must be provided at least once' },
    { section: 'settings', field: 'settings', message: 'must be provided' },
  ]);
  expect(items({ fields: {}, settings: {} })).toEqual([
    { section: 'fields', field: 'fields', message: 'must include at least one field' },
  ]);
  expect(items({ fields: [], settings: 'x' }).map(({ message }) => message)).toEqual([
    'must be an object',
    'must be an object',
  ]);
});

test('a media collection needs no fields besides those of every record', () => {
  const { collection } = parseSpecification(
    { fields: {}, settings: { type: 'media' } },
    BOOKS_ADDRESS,
    shared,
  );
  expect(collection.fields.has('fileName')).toBe(true);
});

test('the number of fields is bounded', () => {
  const fields = Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`f${n}`, {}]));
  expect(items({ fields, settings: {} })[0]?.message).toBe('must not include more than 1000 fields');
});

test('any JSON value is parsed, or rejected by an AppError with messages', () => {
  const keys = [
    'fields',
    'settings',
    'index',
    'keys',
    'options',
    'type',
    'validation',
    'regex',
    'pattern',
    'default',
  ];
  const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 6 },
      fc.constantFrom<Json>('Reference', 'Nope', '(', '(?=a)', null, 1, -1, true),
      fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<Json>,
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(fc.constantFrom(...keys, 'sort', '__proto__'), fc.string()), tie('tree'), {
        maxKeys: 4,
      }),
    ),
  }));
  const block = fc.record({
    fields: fc.dictionary(fc.string(), tree),
    settings: fc.dictionary(
      fc.constantFrom(...keys, 'sort', 'fieldLimiters', 'defaultFilters', 'authenticate'),
      tree,
    ),
  });
  fc.assert(
    fc.property(fc.oneof(tree, block), (source) => {
      try {
        parseSpecification(source as Json, BOOKS_ADDRESS, shared);
      } catch (error) {
        expect(error).toBeInstanceOf(AppError);
        expect((error as AppError).items.every(({ message }) => message.length > 0)).toBe(true);
      }
    }),
    { numRuns: 2_000 },
  );
});

test.each<[Json]>([[null], [[]], ['text'], [5]])('%j is no specification', (source) => {
  expect(items(source)).toHaveLength(1);
});

test('every issue of a specification is reported at once', () => {
  const found = items({ fields: { a: { type: 'Nope' }, b: 1 }, settings: { count: 0 } });
  expect(found.map(({ section, field, setting }) => [section, field, setting])).toEqual([
    ['fields', 'a', undefined],
    ['fields', 'b', undefined],
    ['settings', 'count', 'count'],
  ]);
});

test('the smallest specification gets every default', () => {
  const { fields, settings, namespace, path, lastModifiedAt } = makeCollection({ field1: {} });
  expect(fields.get('field1')).toEqual({
    name: 'field1',
    type: 'String',
    required: false,
    message: undefined,
    default: undefined,
    validation: {},
    caseSensitive: false,
    reference: {},
  });
  expect(settings).toEqual({
    cache: true,
    access: null,
    authenticate: true,
    callback: null,
    pageSize: 40,
    sort: null,
    sortOrder: 1,
    defaultFilters: null,
    fieldLimiters: null,
    storeRevisions: false,
    revisionCollection: 'booksHistory',
    indexes: [],
    compose: false,
    media: false,
    signUploads: false,
    underscored: false,
    displayName: null,
    hooks: null,
  });
  expect({ namespace, path, lastModifiedAt }).toEqual({
    namespace: { database: null, collection: 'books' },
    path: '/1.0/library/books',
    lastModifiedAt: undefined,
  });
});

test('the name that revisions get by themselves must fit too, where they are kept', () => {
  const long = { database: 'y'.repeat(60), name: 'x'.repeat(190) };
  expect(parse({ a: {} }, {}, long).collection.settings.storeRevisions).toBe(false);
  expect(itemsOf(() => parse({ a: {} }, { storeRevisions: true }, long))).toMatchObject([
    { setting: 'revisionCollection', message: expect.stringContaining('longer than 255') },
  ]);
  const both = { ...long, name: 'x'.repeat(200) };
  expect(itemsOf(() => parse({ a: {} }, { storeRevisions: true }, both))).toMatchObject([
    { field: 'collection' },
  ]);
});

test('unknown members are kept as they are', () => {
  const source = {
    fields: { a: { publish: { limit: 1 } } },
    settings: { private: true, lastModifiedAt: 5 },
    x: [1],
  };
  const { collection } = parseSpecification(source, BOOKS_ADDRESS, { enableCollectionDatabases: true });
  expect(collection.source).toEqual(source);
  expect(collection.lastModifiedAt).toBe(5);
  expect(collection.namespace).toEqual({ database: 'library', collection: 'books' });
});
