import { afterEach, describe, expect, test } from 'vitest';
import type { ReadRequest } from '../../../src/collections/model/read-parameters.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { DocumentStore } from '../../../src/stores/ports.ts';
import { callerNamed, contextOf, documentsOf, type Library, openLibrary } from '../library-service.ts';

const BOOKS = {
  fields: {
    title: { type: 'String' },
    author: { type: 'Reference', settings: { collection: 'people' } },
    editor: { type: 'Reference', settings: { collection: 'people', fields: ['name'] } },
    sequel: { type: 'Reference' },
  },
};
const PEOPLE = {
  fields: {
    name: { type: 'String' },
    born: { type: 'Number' },
    friend: { type: 'Reference', settings: { collection: 'people' } },
  },
};

let library: Library;

afterEach(() => library.close());

const withSettings = (source: object, settings: object) => ({ ...source, settings }) as JsonObject;

async function composed(name: string, request: ReadRequest = {}, context = contextOf()) {
  const page = await library.documents.list(library.at(name), { compose: true, ...request }, context);
  return documentsOf(page);
}

const idOf = (document: JsonObject | undefined) => String(document?.['_id']);

describe('one level', () => {
  test('puts documents in the place of ids, and notes the ids', async () => {
    library = await openLibrary({ books: BOOKS, people: PEOPLE });
    const [ann, bob] = await library.create('people', [{ name: 'Ann', born: 1 }, { name: 'Bob' }]);
    const [a, b] = [idOf(ann), idOf(bob)];
    await library.create('people', { name: 'Cid', friend: a });
    await library.create('books', { title: 'A', author: [b, a, b], editor: a });
    const [book] = await composed('books');
    expect(book).toMatchObject({
      title: 'A',
      author: [bob, ann, bob],
      editor: { name: 'Ann', _id: a },
      composed: { author: [b, a, b], editor: a },
    });
    expect(Object.keys(book!['editor'] as object)).toEqual(['name', '_id']);
  });

  test('goes no deeper unless a setting says so', async () => {
    library = await openLibrary({ books: BOOKS, people: PEOPLE });
    const [ann] = await library.create('people', { name: 'Ann' });
    const [bob] = await library.create('people', { name: 'Bob', friend: idOf(ann) });
    await library.create('books', { author: idOf(bob) });
    expect((await composed('books'))[0]!['author']).toEqual(bob);
  });

  test.each([
    ['the root', withSettings(BOOKS, { compose: true }), PEOPLE],
    ['the referenced collection', BOOKS, withSettings(PEOPLE, { compose: true })],
    [
      'the field',
      { fields: { author: { type: 'Reference', settings: { collection: 'people', compose: true } } } },
      PEOPLE,
    ],
  ])('goes deeper when %s says so', async (_name, books, people) => {
    library = await openLibrary({ books, people });
    const [ann] = await library.create('people', { name: 'Ann' }, contextOf());
    const [bob] = await library.create('people', { name: 'Bob', friend: idOf(ann) });
    await library.create('books', { author: idOf(bob) });
    const [book] = await composed('books');
    expect(book!['author']).toMatchObject({
      name: 'Bob',
      friend: { name: 'Ann' },
      composed: { friend: idOf(ann) },
    });
  });

  test('the setting of the collection composes unless the request says no', async () => {
    library = await openLibrary({ books: withSettings(BOOKS, { compose: true }), people: PEOPLE });
    const [ann] = await library.create('people', { name: 'Ann' });
    await library.create('books', { author: idOf(ann) });
    const books = library.at('books');
    const shown = async (request: ReadRequest) =>
      documentsOf(await library.documents.list(books, request, contextOf()))[0]!['author'];
    expect(await shown({})).toMatchObject({ name: 'Ann' });
    expect(await shown({ compose: false })).toBe(idOf(ann));
  });
});

describe('what cannot be resolved', () => {
  const UNKNOWN = 'f'.repeat(24);

  test('unknown ids stay, nulls leave lists, and junk harms nothing', async () => {
    library = await openLibrary({ books: BOOKS, people: PEOPLE });
    const [ann] = await library.create('people', { name: 'Ann' });
    const ns = library.at('books').namespace;
    const junk = [
      { author: [UNKNOWN, null, idOf(ann)], editor: UNKNOWN },
      { author: 5, editor: { a: 1 } },
      { author: [[1], { b: 2 }, 'text', null], editor: null },
      { author: [], editor: '' },
    ];
    await library.store.commit(
      junk.map((fields, n) => ({
        kind: 'insert',
        ns,
        document: { ...fields, v: 1, _id: `${n}`.repeat(24) },
      })),
    );
    const found = await composed('books');
    expect(found[0]).toMatchObject({
      author: [UNKNOWN, ann],
      editor: UNKNOWN,
      composed: { author: [UNKNOWN, idOf(ann)], editor: UNKNOWN },
    });
    expect(found[1]).toEqual({ author: 5, editor: { a: 1 }, v: 1, _id: '1'.repeat(24) });
    expect(found[2]).toEqual({ author: [[1], { b: 2 }, 'text'], editor: null, v: 1, _id: '2'.repeat(24) });
    expect(found[3]).toEqual({ author: [], editor: '', v: 1, _id: '3'.repeat(24) });
  });

  test('a cycle leaves the id that would close it', async () => {
    library = await openLibrary({ people: withSettings(PEOPLE, { compose: true }) });
    const [ann] = await library.create('people', { name: 'Ann' });
    const [bob] = await library.create('people', { name: 'Bob', friend: idOf(ann) });
    await library.documents.updateById(
      library.at('people'),
      idOf(ann),
      { friend: idOf(bob) },
      contextOf(),
      {},
    );
    const [first] = await composed('people', { filter: { name: 'Ann' } });
    expect(first).toMatchObject({ name: 'Ann', friend: { name: 'Bob', friend: idOf(ann) } });
    const [hidden] = await composed('people', { filter: { name: 'Ann' }, fields: { _id: 0 } });
    expect(hidden).toMatchObject({ friend: { name: 'Bob', friend: idOf(ann) } });
    expect(hidden).not.toHaveProperty('_id');
  });

  test('a document that refers to itself keeps its id', async () => {
    library = await openLibrary({ people: withSettings(PEOPLE, { compose: true }) });
    const [ann] = await library.create('people', { name: 'Ann' });
    await library.documents.updateById(
      library.at('people'),
      idOf(ann),
      { friend: idOf(ann) },
      contextOf(),
      {},
    );
    expect((await composed('people'))[0]!['friend']).toBe(idOf(ann));
  });

  test('collections that the caller may not read, or that do not exist, leave ids', async () => {
    library = await openLibrary({ books: BOOKS, people: PEOPLE });
    const [ann] = await library.create('people', { name: 'Ann' });
    await library.create('books', { author: idOf(ann) });
    const [book] = await composed('books', {}, contextOf(callerNamed(null, ['people', 'read', 'history'])));
    expect(book).toMatchObject({ author: idOf(ann), composed: { author: idOf(ann) } });
    await library.close();
    library = await openLibrary({ books: BOOKS });
    await library.create('books', { author: idOf(ann) });
    expect((await composed('books'))[0]!['author']).toBe(idOf(ann));
  });

  test('beyond the levels and the references of a request, ids stay', async () => {
    const limits = { composeDepth: 3, composeReferences: 5 };
    library = await openLibrary({ people: withSettings(PEOPLE, { compose: true }) }, { limits });
    let last: string | undefined;
    for (const name of 'ABCDE') {
      const [person] = await library.create('people', { name, ...(last && { friend: last }) });
      last = idOf(person);
    }
    const [deep] = await composed('people', { filter: { name: 'E' } });
    expect(deep).toMatchObject({ friend: { friend: { friend: { name: 'B', friend: expect.any(String) } } } });
    const all = await composed('people', { sort: 'name' });
    const composedFriends = (document: JsonObject): number => {
      const { friend } = document;
      return typeof friend === 'object' && friend !== null ? 1 + composedFriends(friend as JsonObject) : 0;
    };
    expect(all.map(composedFriends).reduce((sum, count) => sum + count)).toBe(5);
  });
});

describe('levels', () => {
  const depthOf = (document: JsonObject): number => {
    const { friend } = document;
    return typeof friend === 'object' && friend !== null ? 1 + depthOf(friend as JsonObject) : 0;
  };

  test.each([
    [{}, { false: 0, true: 1, 0: 0, 1: 1, 2: 2, 3: 3, 9: 3, all: 3 }],
    [{ compose: true }, { false: 0, true: 3, 0: 0, 1: 1, 2: 2, 9: 3, all: 3 }],
  ])('are as many as are asked for, down to the cap, with %j', async (settings, depths) => {
    library = await openLibrary({ people: withSettings(PEOPLE, settings) }, { limits: { composeDepth: 3 } });
    let last: string | undefined;
    for (const name of 'ABCDEF') {
      const [person] = await library.create('people', { name, ...(last && { friend: last }) });
      last = idOf(person);
    }
    for (const [asked, depth] of Object.entries(depths)) {
      const compose = asked === 'all' ? asked : (JSON.parse(asked) as boolean | number);
      const [person] = await composed('people', { filter: { name: 'F' }, compose });
      expect([asked, depthOf(person!)]).toEqual([asked, depth]);
    }
  });
});

describe('what a referenced document shows', () => {
  const limited = (limiters: object) => withSettings(PEOPLE, { fieldLimiters: limiters });

  test.each([
    [{ born: 0 }, ['name', 'apiVersion', 'createdAt', 'createdBy', 'v', '_id']],
    [{ name: 1 }, ['name', '_id']],
    [{ name: 1, _id: 0 }, ['name', '_id']],
  ])('the limiters %j of its collection', async (limiters, keys) => {
    library = await openLibrary({ books: BOOKS, people: limited(limiters) });
    const [ann] = await library.create('people', { name: 'Ann', born: 1 });
    await library.create('books', { author: idOf(ann) });
    expect(Object.keys((await composed('books'))[0]!['author'] as object)).toEqual(keys);
  });

  test('limiters that contradict themselves leave ids', async () => {
    library = await openLibrary({ books: BOOKS, people: limited({ name: 1, born: 0 }) });
    const [ann] = await library.create('people', { name: 'Ann' });
    await library.create('books', { author: idOf(ann) });
    expect((await composed('books'))[0]!['author']).toBe(idOf(ann));
  });
});

test('one query serves a level and a collection', async () => {
  const asked: string[] = [];
  const wrap = (store: DocumentStore): DocumentStore => ({
    ...store,
    find: store.find.bind(store),
    count: store.count.bind(store),
    commit: store.commit.bind(store),
    findPage(ns, query, options) {
      asked.push(ns.collection);
      return store.findPage(ns, query, options);
    },
    findByIds(ns, ids, options) {
      asked.push(ns.collection);
      return store.findByIds(ns, ids, options);
    },
    findText(ns, query, options) {
      asked.push(ns.collection);
      return store.findText(ns, query, options);
    },
  });
  library = await openLibrary({ books: BOOKS, people: PEOPLE }, { wrap });
  const people = await library.create('people', [{ name: 'Ann' }, { name: 'Bob' }]);
  await library.create(
    'books',
    people.map((person) => ({ author: [idOf(person)] })),
  );
  asked.length = 0;
  await composed('books');
  expect(asked).toEqual(['books', 'people']);
});
