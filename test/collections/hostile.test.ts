// Whatever a client sends is answered or refused: never a defect, and never a change by halves.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ReadRequest } from '../../src/collections/model/read-parameters.ts';
import { AppError, StoreError } from '../../src/errors/errors.ts';
import type { MaybePromise } from '../../src/lib/async/maybe-promise.ts';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import { contextOf, type Library, openLibrary } from './library-service.ts';

/** Any code point, lone surrogates too: the unit `binary` of fast-check takes two seconds to build. */
const codePoint = fc.integer({ min: 0, max: 0x10_ffff }).map((point) => String.fromCodePoint(point));

const FIELDS = {
  title: { type: 'String' },
  pages: { type: 'Number' },
  inPrint: { type: 'Boolean' },
  data: { type: 'Mixed' },
  size: { type: 'Object' },
  shelf: { type: 'ObjectID' },
  published: { type: 'DateTime' },
  author: { type: 'Reference' },
  constructor: { type: 'Mixed' },
};
const NAMES = [...Object.keys(FIELDS), '_id', 'v', 'history', 'composed', 'createdAt'];
const OPERATORS = [
  '$eq',
  '$ne',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$in',
  '$nin',
  '$exists',
  '$not',
  '$regex',
].concat(['$options', '$all', '$elemMatch', '$size', '$type', '$and', '$or', '$nor', '$where', '$expr']);
const ID = 'a'.repeat(24);

const key = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 4, arbitrary: fc.constantFrom(...OPERATORS) },
  fc.constantFrom('data.a', 'data.0', 'author.title', 'author.author.pages', 'size.', '', 'nope', 'toString'),
  fc.string({ unit: codePoint, maxLength: 6 }),
);
const scalar = fc.oneof(
  fc.constantFrom<Json>(
    null,
    true,
    0,
    -1.5,
    1e308,
    '',
    'true',
    '12',
    'ümlaut',
    ID,
    ID.toUpperCase(),
    '/a/i',
    '(',
    '(?=a)',
  ),
  fc.string({ unit: codePoint, maxLength: 8 }),
  fc.integer(),
);
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5, depthIdentifier: 'json' },
    scalar,
    fc.array(tie('json'), { maxLength: 3, depthIdentifier: 'json' }),
    fc.dictionary(key, tie('json'), { maxKeys: 3, depthIdentifier: 'json' }),
  ),
}));
const object = fc.dictionary(key, json, { maxKeys: 3 }) as fc.Arbitrary<JsonObject>;
const likely = fc.dictionary(fc.constantFrom(...NAMES, '$or', '$and'), json, {
  maxKeys: 2,
}) as fc.Arbitrary<JsonObject>;

let library: Library;

beforeAll(async () => {
  library = await openLibrary({
    books: {
      fields: FIELDS,
      settings: { storeRevisions: true, compose: true, index: [{ keys: { title: 1, data: -1 } }] },
    },
  });
});

afterAll(() => library.close());

/** The outcome, where a refusal is one: anything but a 4xx fails the test. */
async function outcome<T>(promise: MaybePromise<T>): Promise<T | 'refused'> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof StoreError) expect(error.reason).toBe('parallel-arrays');
    else expect(error).toBeInstanceOf(AppError);
    if (error instanceof AppError) expect(error.status, error.message).toBeLessThan(500);
    return 'refused';
  }
}

test('no body makes a create or an update fail with a server error', async () => {
  const books = library.at('books');
  await fc.assert(
    fc.asyncProperty(fc.oneof(json, object, likely, fc.array(likely, { maxLength: 3 })), async (body) => {
      const before = (await library.all('books')).length;
      const created = await outcome(library.documents.create(books, body, contextOf(), {}));
      const added = (await library.all('books')).length - before;
      if (created === 'refused') expect(added).toBe(0);
      else expect(added).toBeGreaterThanOrEqual(created.results.length);
      const [first] = await library.all('books');
      const id = String(first?.['_id'] ?? ID);
      await outcome(library.documents.updateById(books, id, body, contextOf(), {}));
      await outcome(library.documents.updateByQuery(books, body, contextOf(), {}));
    }),
    { numRuns: 300 },
  );
});

test('no read request fails with a server error', async () => {
  const books = library.at('books');
  const request = fc.record(
    {
      filter: fc.oneof(object, likely),
      fields: object,
      sort: fc.oneof(object, key),
      historyFilters: likely,
      includeHistory: fc.boolean(),
      compose: fc.boolean(),
      count: fc.nat({ max: 5 }),
      page: fc.nat({ max: 2 }),
      skip: fc.nat({ max: 2 }),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<ReadRequest>;
  await fc.assert(
    fc.asyncProperty(request, async (asked) => {
      const page = await outcome(library.documents.list(books, asked, contextOf()));
      if (page !== 'refused') expect(page.count).toBeLessThanOrEqual(page.metadata.totalCount);
      await outcome(library.documents.get(books, ID, asked, contextOf()));
      await outcome(library.documents.count(books, asked, contextOf()));
      await outcome(library.documents.history(books, ID, asked, contextOf()));
    }),
    { numRuns: 500 },
  );
});
