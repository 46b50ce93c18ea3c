import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { createFakeHooks } from '../fake-hooks.ts';
import {
  callerNamed,
  collectionOf,
  contextOf,
  type Library,
  openLibrary,
  parse,
  refusalOf,
} from '../library-service.ts';

const OLD = { title: { type: 'String' }, legacy: { type: 'Mixed' }, born: { type: 'DateTime' } };
const NOW = { title: { type: 'String' } };
const SHELVES = {
  fields: { name: {}, book: { type: 'Reference', settings: { collection: 'books' } } },
};
const LEGACY = { a: [1, { b: null }], c: 'x' };

const hooks = createFakeHooks({
  whole: (_obj, { documents }) => parse(documents![0]!),
  more: (obj) => ({ ...obj, legacy: 5 }),
});

let library: Library;
let id: string;

/** Puts the specification of today in force. */
const dropFields = (settings: JsonObject = {}) =>
  library.put(collectionOf('books', { fields: NOW, settings }));

beforeEach(async () => {
  library = await openLibrary({ books: { fields: OLD }, shelves: SHELVES }, { hooks });
  const [book] = await library.create('books', [
    { title: 'A', legacy: LEGACY, born: '2024-01-01' },
    { title: 'B', legacy: LEGACY },
  ]);
  id = String(book!['_id']);
  dropFields();
});

afterEach(() => library.close());

const put = (body: Json, context = contextOf()) =>
  library.documents.updateById(library.at('books'), id, body, context, {});
const putAll = (query: Json, update: Json) =>
  library.documents.updateByQuery(library.at('books'), { query, all: true, update }, contextOf(), {});
const stored = async () => (await library.all('books'))[0]!;
const faults = async (promise: Promise<unknown>) =>
  (await refusalOf(promise)).items.map(({ field, code }) => [field, code]);

describe('fields that the specification does not declare', () => {
  test('can be sent back as they are, and stay', async () => {
    const before = await stored();
    const { results } = await put({ ...before, title: 'C' });
    expect(parse(results[0]!)).toMatchObject({ title: 'C', legacy: LEGACY, born: before['born']!, v: 2 });
    await put({ legacy: { c: 'x', a: [1, { b: null }] } });
    expect(await stored()).toMatchObject({ legacy: LEGACY, v: 3 });
  });

  test('cannot be new or changed', async () => {
    const fault = (field: string) => [[field, 'ERROR_NOT_IN_SCHEMA']];
    expect(await faults(put({ legacy: { ...LEGACY, c: 'y' } }))).toEqual(fault('legacy'));
    expect(await faults(put({ legacy: null }))).toEqual(fault('legacy'));
    expect(await faults(put({ legacy: LEGACY, other: 1 }))).toEqual(fault('other'));
    expect(await faults(put({ toString: 1 }))).toEqual(fault('toString'));
    expect(await faults(put({ title: 5, other: 1 }))).toEqual([
      ['title', 'ERROR_VALUE_INVALID'],
      ['other', 'ERROR_NOT_IN_SCHEMA'],
    ]);
    expect(await faults(library.create('books', { title: 'C', legacy: LEGACY }))).toEqual(fault('legacy'));
    expect(await stored()).toMatchObject({ v: 1 });
  });

  test('must be the same in every document that a query matches', async () => {
    await putAll({}, { legacy: LEGACY, title: 'C' });
    expect(await library.all('books')).toMatchObject([
      { title: 'C', v: 2 },
      { title: 'C', v: 2 },
    ]);
    const { born } = await stored();
    expect(await faults(putAll({}, { born: born! }))).toEqual([['born', 'ERROR_NOT_IN_SCHEMA']]);
    expect(await faults(putAll({ title: 'nobody' }, { legacy: LEGACY }))).toEqual([
      ['legacy', 'ERROR_NOT_IN_SCHEMA'],
    ]);
  });

  test('are not told to those who may not read them', async () => {
    const context = contextOf(callerNamed('bob', ['books', 'read', 'history']));
    expect(await faults(put({ legacy: LEGACY }, context))).toEqual([['legacy', 'ERROR_NOT_IN_SCHEMA']]);
  });

  test('many of them do not hide what else is wrong', async () => {
    const many = Object.fromEntries(Array.from({ length: 1500 }, (_, n) => [`x${n}`, n]));
    id = 'f'.repeat(24);
    const document = { ...many, v: 1, _id: id };
    await library.store.commit([{ kind: 'insert', ns: library.at('books').namespace, document }]);
    expect(await faults(put({ ...many, title: 5 }))).toEqual([['title', 'ERROR_VALUE_INVALID']]);
    await put({ ...many, title: 'ok' });
    const nope = Object.fromEntries(Object.keys(many).map((name) => [`${name}-`, 1]));
    expect(await faults(put(nope))).toHaveLength(101);
  });

  test('come back from hooks too', async () => {
    dropFields({ hooks: { beforeUpdate: ['whole'] } });
    await put({ title: 'ignored' });
    expect(await stored()).toMatchObject({ title: 'A', v: 2 });
    await library.create('shelves', { name: 's', book: id });
    const shelf = (await library.all('shelves'))[0]!;
    const nested = (book: JsonObject) =>
      library.documents.updateById(
        library.at('shelves'),
        String(shelf['_id']),
        { book: { _id: id, ...book } },
        contextOf(),
        {},
      );
    await nested({ title: 'C' });
    expect(await stored()).toMatchObject({ title: 'A', legacy: LEGACY, v: 3 });
    dropFields({ hooks: { beforeUpdate: ['more'] } });
    expect(await faults(nested({ title: 'C', legacy: LEGACY }))).toEqual([
      ['book.legacy', 'ERROR_NOT_IN_SCHEMA'],
    ]);
  });
});
