// Bodies of writes are checked once, by the parser of HTTP or of guest calls: the service looks at a value only to use it.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { MaybePromise } from '../../../src/lib/async/maybe-promise.ts';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { contextOf, type Library, openLibrary } from '../library-service.ts';

let library: Library;
let id: string;

beforeEach(async () => {
  library = await openLibrary({ books: { fields: { title: {}, data: { type: 'Mixed' } } } });
  const [book] = await library.create('books', { title: 'A' });
  id = String(book!['_id']);
});

afterEach(() => library.close());

type Write = (body: Json) => MaybePromise<unknown>;

const context = contextOf();
const books = () => library.at('books');
const create: Write = (body) => library.documents.create(books(), body, context, {});
const updateById: Write = (body) => library.documents.updateById(books(), id, body, context, {});
const updateByQuery: Write = (body) => library.documents.updateByQuery(books(), body, context, {});
const removeByQuery: Write = (body) => library.documents.removeByQuery(books(), body, context, {});

/** A body around a value, and how often the write uses it. */
const METHODS: readonly (readonly [string, number, Write, (data: JsonObject) => Json])[] = [
  ['create', 1, create, (data) => ({ title: 'B', data })],
  ['create of a list', 1, create, (data) => [{ title: 'B', data }]],
  ['updateById', 1, updateById, (data) => ({ data })],
  ['updateByQuery', 0, updateByQuery, (data) => ({ query: { title: 'nobody' }, update: { data } })],
  ['removeByQuery', 0, removeByQuery, (data) => ({ query: { title: 'nobody' }, data })],
];

test.each(METHODS)(
  '%s looks %i times at a value that its parser has checked',
  async (_name, uses, write, bodyOf) => {
    let reads = 0;
    const data = {
      get x() {
        reads += 1;
        return 1;
      },
    };
    await write(bodyOf(data));
    expect(reads).toBe(uses);
  },
);
