// Bodies of writes are checked once: by the parser of HTTP or of guest calls, else by the service.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { MaybePromise } from '../../../src/lib/async/maybe-promise.ts';
import { CheckedJson, type Json, type JsonObject } from '../../../src/lib/json/json.ts';
import { contextOf, type Library, openLibrary, refusalOf } from '../library-service.ts';

let library: Library;
let id: string;

beforeEach(async () => {
  library = await openLibrary({ books: { fields: { title: {}, data: { type: 'Mixed' } } } });
  const [book] = await library.create('books', { title: 'A' });
  id = String(book!['_id']);
});

afterEach(() => library.close());

type Write = (body: Json | CheckedJson) => MaybePromise<unknown>;

const context = contextOf();
const books = () => library.at('books');
const create: Write = (body) => library.documents.create(books(), body, context, {});
const updateById: Write = (body) => library.documents.updateById(books(), id, body, context, {});
const updateByQuery: Write = (body) => library.documents.updateByQuery(books(), body, context, {});
const removeByQuery: Write = (body) => library.documents.removeByQuery(books(), body, context, {});

/** A value that counts how often it is looked at, in a body around it. */
const METHODS: readonly (readonly [string, Write, (data: JsonObject) => JsonObject])[] = [
  ['create', create, (data) => ({ title: 'B', data })],
  ['create of a list', create, (data) => [{ title: 'B', data }] as unknown as JsonObject],
  ['updateById', updateById, (data) => ({ data })],
  ['updateByQuery', updateByQuery, (data) => ({ query: { title: 'nobody' }, update: { data } })],
  ['removeByQuery', removeByQuery, (data) => ({ query: { title: 'nobody' }, data })],
];

async function countReads(write: Write, bodyOf: (data: JsonObject) => JsonObject, isChecked: boolean) {
  let reads = 0;
  const data = {
    get x() {
      reads += 1;
      return 1;
    },
  };
  const body = bodyOf(data);
  await write(isChecked ? new CheckedJson(body) : body);
  return reads;
}

test.each(METHODS)(
  '%s checks a body of the server itself, and no body that its parser has checked',
  async (_name, write, bodyOf) => {
    const { items } = await refusalOf(write(bodyOf({ x: '\ud800' })));
    expect(items).toMatchObject([
      { field: expect.stringMatching(/data\.x$/), message: 'holds a lone surrogate' },
    ]);
    const checkedByService = await countReads(write, bodyOf, false);
    expect(await countReads(write, bodyOf, true)).toBe(checkedByService - 1);
  },
);
