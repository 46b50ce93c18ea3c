import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import {
  callerNamed,
  contextOf,
  documentsOf,
  type Library,
  openLibrary,
  parse,
  refusalOf,
} from '../library-service.ts';

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
    const limited = contextOf(callerNamed('eve', ['people', 'update', 'create']));
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
    const mayNotPut = contextOf(callerNamed('eve', ['people', 'update']));
    expect(await refusalOf(put(idOf(book), changed, mayNotPut))).toMatchObject({
      code: 'NOT_PERMITTED',
      items: [{ field: 'author' }],
    });
    const mayNothing = contextOf(callerNamed('eve', ['people', 'read', 'history', 'update', 'create']));
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

  test('one with an id of no document is told so, unless it was fetched', async () => {
    const _id = 'f'.repeat(24);
    const refused = { field: 'author._id', code: 'ERROR_VALUE_INVALID' };
    const created = await refusalOf(
      library.create('books', { title: 'A', author: { _id, name: 'X', v: 3 } }),
    );
    expect([created.status, created.items]).toMatchObject([400, [refused]]);
    expect(created.items[0]!.message).toContain('no document');
    const batch = await refusalOf(
      library.create('books', [{ title: 'A' }, { author: [{ _id, name: 'X' }] }]),
    );
    expect(batch.items).toMatchObject([
      { index: 1, field: 'title' },
      { index: 1, field: 'author.0._id' },
    ]);
    const [book] = await library.create('books', { title: 'A', author: { _id } });
    const updated = await refusalOf(put(idOf(book), { author: { _id, name: 'X' } }));
    expect([updated.status, updated.items]).toMatchObject([400, [refused]]);
    const gone = await refusalOf(put(idOf(book), { author: { _id, name: 'X', v: 3 } }));
    expect([gone.code, gone.message]).toEqual(['DOCUMENT_CHANGED', 'The document does not exist any more']);
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

  test('the same document twice has its issues told before it is asked whether both agree', async () => {
    const [book] = await library.create('books', { title: 'A', author: { name: 'Ann' } });
    const { author } = await fetched(idOf(book));
    const named = (name: Json) => ({ ...(author as JsonObject), name });
    const refusal = await refusalOf(put(idOf(book), { author: [named('X'), named(5)] }));
    expect(refusal.items).toMatchObject([{ field: 'author.1.name', message: 'is wrong type' }]);
    expect((await library.all('people'))[0]).toMatchObject({ name: 'Ann', v: 1 });
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
  const body = { query: {}, all: true, update: { author: { name: 'Ann' } } };
  const page = await library.documents.updateByQuery(library.at('books'), body, contextOf(), {});
  expect(page.results.map((text) => parse(text)['author'])).toMatchObject([{ name: 'Ann' }, { name: 'Ann' }]);
  expect(await library.all('people')).toHaveLength(1);
});
