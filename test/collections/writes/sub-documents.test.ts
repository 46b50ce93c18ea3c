import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCollectionRegistry } from '../../../src/collections/model/collection.ts';
import { type ExtractOptions, extractSubDocuments } from '../../../src/collections/writes/sub-documents.ts';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import {
  callerNamed,
  collectionOf,
  contextOf,
  documentsOf,
  LIMITS,
  type Library,
  openLibrary,
  parse,
  refusalOf,
} from '../library-service.ts';

const BOOKS = collectionOf('books', {
  fields: {
    title: {},
    data: { type: 'Object' },
    author: { type: 'Reference', settings: { collection: 'people' } },
    picture: { type: 'Reference', settings: { collection: 'images' } },
    old: { type: 'Reference', settings: { collection: 'booksHistory' } },
  },
  settings: { storeRevisions: true },
});
const PEOPLE = collectionOf('people', { fields: { name: {}, friend: { type: 'Reference' } } });
const ID = 'a'.repeat(24);

function optionsOf(changes: Partial<ExtractOptions> = {}): ExtractOptions & { origin: { prefix: string } } {
  const registry = createCollectionRegistry();
  const images = collectionOf('images', { fields: { alt: {} }, settings: { type: 'media' } });
  const history = collectionOf('booksHistory', { fields: { title: {} } });
  for (const collection of [BOOKS, PEOPLE, images, history]) registry.put(collection);
  let made = 0;
  const generateId = () => {
    made += 1;
    return `new${made}`;
  };
  return {
    registry,
    limits: LIMITS,
    quota: { remaining: 10 },
    generateId,
    caller: callerNamed('ann'),
    origin: { prefix: '' },
    ...changes,
  };
}

const flat = (body: JsonObject, changes: Partial<ExtractOptions> = {}) =>
  extractSubDocuments(BOOKS, body, optionsOf(changes));

test('a body without sub-documents only loses its internals', () => {
  const body = { title: 'A', data: { _id: 1 }, author: ID, v: 3, composed: {}, _id: ID };
  expect(flat(body)).toEqual({
    fields: { title: 'A', data: { _id: 1 }, author: ID },
    subDocuments: [],
    issues: [],
  });
});

test('takes a tree apart, innermost first, and keeps order and shape of lists', () => {
  const body = {
    author: [ID, { name: 'B', friend: { name: 'C' } }, { _id: ID.toUpperCase(), name: 'D', v: 2 }, null],
  };
  const { fields, subDocuments, issues } = flat(body);
  expect(issues).toEqual([]);
  expect(fields).toEqual({ author: [ID, 'new2', ID, null] });
  const shown = subDocuments.map(({ collection, id, isNew, fields: own, v, origin }) => {
    return [collection.name, id, isNew, own, v, origin.prefix];
  });
  expect(shown).toEqual([
    ['people', 'new1', true, { name: 'C' }, undefined, 'author.1.friend.'],
    ['people', 'new2', true, { name: 'B', friend: 'new1' }, undefined, 'author.1.'],
    ['people', ID, false, { name: 'D' }, 2, 'author.2.'],
  ]);
});

test.each([
  ['an odd _id', { author: { _id: 'x' } }, 'author'],
  ['an odd _id in a list', { author: [ID, { _id: 5 }] }, 'author.1'],
  ['a new medium without its file', { picture: { alt: 'x' } }, 'picture.file'],
  ['a new revision', { old: { title: 'x' } }, 'old'],
])('%s is an issue', (_name, body, field) => {
  expect(flat(body).issues).toMatchObject([{ field }]);
});

test('an object from a collection that cannot be written is its id', () => {
  expect(flat({ picture: { _id: ID, alt: 'other' } })).toMatchObject({
    fields: { picture: ID },
    subDocuments: [],
  });
});

test('creating needs the permission', () => {
  const caller = callerNamed('eve', ['people', 'POST']);
  expect(() => flat({ author: [{ name: 'A' }] }, { caller })).toThrow(
    expect.objectContaining({
      code: 'NOT_PERMITTED',
      items: [expect.objectContaining({ field: 'author.0' })],
    }),
  );
  expect(flat({ author: { _id: ID } }, { caller }).fields).toEqual({ author: ID });
});

test('depth and number are bounded', () => {
  let person: JsonObject = { name: 'X' };
  for (let level = 0; level < 10; level += 1) person = { friend: person };
  expect(flat({ author: person }).issues).toMatchObject([
    { field: expect.stringMatching(/^author(\.friend){10}$/) },
  ]);
  expect(() => flat({ author: [{}, {}, {}] }, { quota: { remaining: 2 } })).toThrow(
    expect.objectContaining({ code: 'WRITE_TOO_LARGE' }),
  );
});

const SOURCES = {
  books: {
    fields: {
      title: { type: 'String', required: true },
      author: { type: 'Reference', settings: { collection: 'people' } },
    },
  },
  people: {
    fields: {
      name: { type: 'String', required: true },
      email: { type: 'String' },
      friend: { type: 'Reference' },
    },
    settings: {
      storeRevisions: true,
      index: [{ keys: { email: 1 }, options: { unique: true, sparse: true } }],
    },
  },
};

let library: Library;

beforeEach(async () => {
  library = await openLibrary(SOURCES);
});

afterEach(() => library.close());

const idOf = (document: JsonObject | undefined) => String(document?.['_id']);

async function put(id: string, body: Json, context = contextOf()) {
  const page = await library.documents.updateById(library.at('books'), id, body, context, {});
  return parse(page.results[0]!);
}

async function fetched(id: string) {
  const page = await library.documents.get(library.at('books'), id, { compose: true }, contextOf());
  return documentsOf(page)[0]!;
}

describe('creating', () => {
  test('writes the whole tree and answers composed', async () => {
    const [book] = await library.create('books', {
      title: 'A',
      author: [{ name: 'Ann', friend: { name: 'Bob' } }, { name: 'Cid' }],
    });
    const people = await library.all('people');
    expect(people.map(({ name }) => name).sort()).toEqual(['Ann', 'Bob', 'Cid']);
    expect(people.every(({ createdBy, v }) => createdBy === 'ann' && v === 1)).toBe(true);
    expect(book).toMatchObject({ author: [{ name: 'Ann' }, { name: 'Cid' }] });
    expect(await library.all('peopleHistory')).toHaveLength(3);
    const stored = (await library.all('books'))[0]!;
    expect(stored['author']).toEqual((book!['composed'] as JsonObject)['author']);
  });

  test('names every fault of the tree by its path, and writes nothing', async () => {
    const body = [
      { title: 'A', author: { name: 'Ann' } },
      { author: [{ name: 'Bob', friend: { email: 'x' } }, { name: 5 }] },
    ];
    const { items, code } = await refusalOf(library.create('books', body));
    expect(code).toBe('DOCUMENT_INVALID');
    expect(items.map(({ index, field }) => [index, field])).toEqual([
      [1, 'title'],
      [1, 'author.0.friend.name'],
      [1, 'author.1.name'],
    ]);
    expect(await library.all('people')).toEqual([]);
    expect(await library.all('books')).toEqual([]);
  });

  test('a breach of a unique index below is told by its path, and undoes everything', async () => {
    await library.create('people', { name: 'Ann', email: 'a@x' });
    const body = { title: 'A', author: [{ name: 'Bob' }, { name: 'Eve', email: 'a@x' }] };
    const { items } = await refusalOf(library.create('books', body));
    expect(items).toEqual([{ field: 'author.1.email', message: 'must be unique', code: 'ERROR_UNIQUE' }]);
    expect(await library.all('people')).toHaveLength(1);
    expect(await library.all('books')).toEqual([]);
  });
});

describe('sending back what was fetched', () => {
  test('unchanged sub-documents are not written', async () => {
    const [book] = await library.create('books', { title: 'A', author: [{ name: 'Ann' }, { name: 'Bob' }] });
    const before = await library.all('people');
    const sent = await fetched(idOf(book));
    const limited = contextOf(callerNamed('eve', ['people', 'PUT', 'POST']));
    const after = await put(idOf(book), sent, limited);
    expect(after).toMatchObject({ v: 2, author: before });
    expect(await library.all('people')).toEqual(before);
    expect((await library.all('books'))[0]!['author']).toEqual(before.map(({ _id }) => _id));
  });

  test('changed ones are updated, with a revision, and only in what changed', async () => {
    const [book] = await library.create('books', { title: 'A', author: { name: 'Ann', email: 'a@x' } });
    const sent = await fetched(idOf(book));
    const author = { ...(sent['author'] as JsonObject), name: 'Anna', email: 'a@x' };
    expect(await put(idOf(book), { author })).toMatchObject({ author: { name: 'Anna', email: 'a@x', v: 2 } });
    const [ann] = await library.all('people');
    expect(ann).toMatchObject({
      name: 'Anna',
      v: 2,
      lastModifiedBy: 'ann',
      history: [expect.any(String), expect.any(String)],
    });
  });

  test('an older state is a conflict that names the path', async () => {
    const [book] = await library.create('books', { title: 'A', author: [{ name: 'Ann' }] });
    const sent = await fetched(idOf(book));
    const [ann] = sent['author'] as JsonObject[];
    await library.documents.updateById(library.at('people'), idOf(ann), { email: 'b@x' }, contextOf(), {});
    const body = { title: 'B', author: [{ ...ann, name: 'Anna' }] };
    const refusal = await refusalOf(put(idOf(book), body));
    expect([refusal.status, refusal.items[0]?.field]).toEqual([409, 'author.0']);
    expect((await library.all('books'))[0]).toMatchObject({ title: 'A', v: 1 });
    expect((await library.all('people'))[0]).toMatchObject({ name: 'Ann', v: 2 });
  });

  test('a change needs the permission, and who may not read cannot find out whether it is one', async () => {
    const [book] = await library.create('books', { title: 'A', author: { name: 'Ann' } });
    const { author } = await fetched(idOf(book));
    const changed = { author: { ...(author as JsonObject), name: 'Anna' } };
    const mayNotPut = contextOf(callerNamed('eve', ['people', 'PUT']));
    expect(await refusalOf(put(idOf(book), changed, mayNotPut))).toMatchObject({
      code: 'NOT_PERMITTED',
      items: [{ field: 'author' }],
    });
    const mayNothing = contextOf(callerNamed('eve', ['people', 'GET', 'PUT', 'POST']));
    expect((await refusalOf(put(idOf(book), { author: author! }, mayNothing))).code).toBe('NOT_PERMITTED');
    expect(await put(idOf(book), { author: { _id: idOf(author as JsonObject) } }, mayNothing)).toMatchObject({
      v: 2,
    });
    expect((await library.all('people'))[0]).toMatchObject({ name: 'Ann', v: 1 });
  });

  test('a sub-document that is gone meanwhile is a conflict, its bare id is not', async () => {
    const [book] = await library.create('books', { title: 'A', author: { name: 'Ann' } });
    const { author } = await fetched(idOf(book));
    const id = idOf(author as JsonObject);
    await library.documents.removeById(library.at('people'), id, contextOf(), {});
    expect((await refusalOf(put(idOf(book), { author: author! }))).code).toBe('DOCUMENT_CHANGED');
    expect(await put(idOf(book), { author: { _id: id } })).toMatchObject({ author: id });
  });

  test('the same document twice must not disagree', async () => {
    const [book] = await library.create('books', { title: 'A', author: { name: 'Ann' } });
    const { author } = await fetched(idOf(book));
    const named = (name: string) => ({ ...(author as JsonObject), name });
    const refusal = await refusalOf(put(idOf(book), { author: [named('X'), named('Y')] }));
    expect(refusal).toMatchObject({ code: 'DOCUMENT_INVALID', items: [{ field: 'author.1.name' }] });
    expect(await put(idOf(book), { author: [named('X'), named('X')] })).toMatchObject({ v: 2 });
    expect((await library.all('people'))[0]).toMatchObject({ name: 'X', v: 2 });
  });
});

test('a document may update itself through a reference of its own, in one write', async () => {
  const [ann] = await library.create('people', { name: 'Ann' });
  const body = { email: 'a@x', friend: { _id: idOf(ann), name: 'Anna' } };
  const people = library.at('people');
  const page = await library.documents.updateById(people, idOf(ann), body, contextOf(), { compose: false });
  expect(parse(page.results[0]!)).toMatchObject({ name: 'Anna', email: 'a@x', friend: idOf(ann), v: 2 });
});

test('an update by query creates its sub-documents once', async () => {
  await library.create('books', [{ title: 'A' }, { title: 'B' }]);
  const body = { query: {}, update: { author: { name: 'Ann' } } };
  const page = await library.documents.updateByQuery(library.at('books'), body, contextOf(), {});
  expect(page.results.map((text) => parse(text)['author'])).toMatchObject([{ name: 'Ann' }, { name: 'Ann' }]);
  expect(await library.all('people')).toHaveLength(1);
});
