import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HOOK_EVENTS } from '../../../src/collections/model/collection.ts';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { createFakeHooks, type FakeHooks } from '../fake-hooks.ts';
import { contextOf, type Library, openLibrary, parse, refusalOf } from '../library-service.ts';

const every = Object.fromEntries(HOOK_EVENTS.map((event) => [event, [event]]));
const SOURCES = {
  books: {
    fields: {
      title: { type: 'String', required: true },
      slug: { type: 'String' },
      author: { type: 'Reference', settings: { collection: 'people' } },
    },
    settings: { hooks: every },
  },
  people: {
    fields: { name: { type: 'String', required: true }, friend: { type: 'Reference' } },
    settings: { hooks: { beforeCreate: ['people'], beforeUpdate: ['people'], afterUpdate: ['people'] } },
  },
  plain: {
    fields: { name: { type: 'String' }, book: { type: 'Reference', settings: { collection: 'books' } } },
  },
};

type Hook = Parameters<typeof createFakeHooks>[0][string];

let library: Library;
let hooks: FakeHooks;
let acting: Record<string, Hook>;

beforeEach(async () => {
  acting = {};
  hooks = createFakeHooks(acting);
  library = await openLibrary(SOURCES, { hooks });
});
afterEach(() => library.close());

const create = (body: Json) => library.create('books', body);
const update = (id: string, body: Json, options = {}) =>
  library.documents.updateById(library.at('books'), id, body, contextOf(), options);
const updateAll = (query: JsonObject, change: JsonObject) =>
  library.documents.updateByQuery(library.at('books'), { query, all: true, update: change }, contextOf(), {});
const remove = (id: string, options = {}) =>
  library.documents.removeById(library.at('books'), id, contextOf(), options);
const idOf = (document: JsonObject | undefined) => String(document?.['_id']);

describe('beforeCreate', () => {
  test('its result takes the place of each document, and is what is validated', async () => {
    acting['beforeCreate'] = (obj) => ({ ...obj, title: `${obj['name'] ?? obj['title']}!`, _id: 'x', v: 9 });
    const [one, two] = await create([{ title: 'a' }, { title: 'b' }]);
    expect([one, two]).toMatchObject([
      { title: 'a!', v: 1 },
      { title: 'b!', v: 1 },
    ]);
    acting['beforeCreate'] = () => ({ title: 5, unknown: true });
    const { code, items } = await refusalOf(create({ title: 'a' }));
    expect([code, items.map(({ field }) => field)]).toEqual(['DOCUMENT_INVALID', ['title', 'unknown']]);
  });

  test('may mend what would not be valid, and leave alone what is', async () => {
    acting['beforeCreate'] = (obj) => (obj['title'] === undefined ? { title: 'untitled' } : undefined);
    expect(await create([{}, { title: 'a' }])).toMatchObject([{ title: 'untitled' }, { title: 'a' }]);
  });

  test('null refuses the whole batch', async () => {
    acting['beforeCreate'] = (obj) => (obj['title'] === 'b' ? null : undefined);
    expect((await refusalOf(create([{ title: 'a' }, { title: 'b' }]))).code).toBe('HOOK_FAILED');
    expect(await library.all('books')).toEqual([]);
    expect(hooks.happened).toEqual([]);
  });

  test('each document of a batch knows its place, a single one has none', async () => {
    const places: unknown[] = [];
    acting['beforeCreate'] = (_obj, { index }) => void places.push(index);
    await create([{ title: 'a' }, { title: 'b' }]);
    await create({ title: 'c' });
    expect(places).toEqual([0, 1, undefined]);
  });

  test('stands before documents that come nested in others', async () => {
    acting['people'] = (obj) => ({ ...obj, name: `${obj['name']}?` });
    await create({ title: 'a', author: { name: 'Ann' } });
    expect(await library.all('people')).toMatchObject([{ name: 'Ann?' }]);
    acting['people'] = () => null;
    const refused = await refusalOf(create({ title: 'b', author: { name: 'Bob' } }));
    expect(refused.code).toBe('HOOK_FAILED');
    expect(await library.all('books')).toHaveLength(1);
  });

  test('of a nested document cannot bring further ones', async () => {
    acting['people'] = (obj) => ({ ...obj, friend: { name: 'Bob' } });
    const refused = await refusalOf(create({ title: 'a', author: { name: 'Ann' } }));
    expect(refused.items).toMatchObject([{ field: 'author.friend', code: 'ERROR_VALUE_INVALID' }]);
    acting['people'] = (obj) => ({ ...obj, friend: [null, { _id: 'a'.repeat(24), name: 'Bob' }] });
    expect((await refusalOf(create({ title: 'a', author: { name: 'Ann' } }))).code).toBe('DOCUMENT_INVALID');
    expect(await library.all('people')).toEqual([]);
    acting['people'] = (obj) => ({ ...obj, friend: ['A'.repeat(24)] });
    await create({ title: 'a', author: { name: 'Ann' } });
    expect(await library.all('people')).toMatchObject([{ friend: ['a'.repeat(24)] }]);
  });

  test('stands before nested documents of a collection without hooks', async () => {
    acting['beforeCreate'] = () => null;
    const refused = await refusalOf(library.create('plain', { name: 'p', book: { title: 'a' } }));
    expect(refused.code).toBe('HOOK_FAILED');
    expect(await library.all('plain')).toEqual([]);
  });

  test('a body that nobody could store never reaches it', async () => {
    await refusalOf(create([1]));
    expect(hooks.ran).toEqual([]);
  });
});

describe('beforeUpdate', () => {
  let id: string;
  beforeEach(async () => {
    id = idOf((await create({ title: 'a', slug: 's' }))[0]);
  });

  test('gets the update and the documents as they are, and may replace the update', async () => {
    let seen: unknown;
    acting['beforeUpdate'] = (obj, { documents }) => {
      seen = [obj, documents?.map(parse)];
      return { slug: `${obj['slug']}!` };
    };
    const page = await update(id, { slug: 't', title: 'b' });
    expect(seen).toMatchObject([{ slug: 't', title: 'b' }, [{ title: 'a', v: 1, _id: id }]]);
    expect(parse(page.results[0]!)).toMatchObject({ title: 'a', slug: 't!', v: 2 });
  });

  test('runs once for a write by query, with all documents', async () => {
    await create({ title: 'b', slug: 's' });
    let titles: unknown;
    acting['beforeUpdate'] = (_obj, { documents }) => {
      titles = documents?.map((text) => parse(text)['title']);
    };
    await updateAll({ slug: 's' }, { slug: 't' });
    expect(titles).toEqual(['a', 'b']);
    expect(hooks.ran.filter((run) => run.startsWith('beforeUpdate'))).toHaveLength(1);
    await updateAll({ slug: 'nobody' }, { slug: 't' });
    expect(hooks.ran.filter((run) => run.startsWith('beforeUpdate'))).toHaveLength(1);
  });

  test('null, and what is not valid, change nothing', async () => {
    acting['beforeUpdate'] = () => null;
    expect((await refusalOf(update(id, { slug: 't' }))).code).toBe('HOOK_FAILED');
    acting['beforeUpdate'] = () => ({ title: null });
    expect((await refusalOf(updateAll({}, { slug: 't' }))).code).toBe('DOCUMENT_INVALID');
    expect(await library.all('books')).toMatchObject([{ slug: 's', v: 1 }]);
  });

  test('If-Match is judged before it runs', async () => {
    expect((await refusalOf(update(id, { slug: 't' }, { ifMatch: () => false }))).code).toBe(
      'PRECONDITION_FAILED',
    );
    expect(hooks.ran).not.toContain('beforeUpdate beforeUpdate');
  });

  test('sees the state that it is about to change, however often others come first', async () => {
    const seen: unknown[] = [];
    acting['beforeUpdate'] = async (_obj, { documents, context }) => {
      const slug = parse(documents![0]!)['slug'];
      seen.push(slug);
      if (seen.length > 1) return { slug: `after ${slug}` };
      // Posted code writes the same document while the outer write waits for it.
      const inner = { ...contextOf(), callDepth: (context.callDepth ?? 0) + 1 };
      acting['beforeUpdate'] = second;
      await library.documents.updateById(library.at('books'), id, { slug: 'between' }, inner, {});
      return { slug: 'from a state that is gone' };
    };
    const second: Hook = (_obj, { documents }) => {
      const slug = parse(documents![0]!)['slug'];
      seen.push(slug);
      return slug === 'between' ? { slug: 'after between' } : undefined;
    };
    await update(id, { slug: 'x' });
    expect(seen).toEqual(['s', 's', 'between']);
    expect(await library.all('books')).toMatchObject([{ slug: 'after between', v: 3 }]);
  });

  test('stands before the update of a nested document', async () => {
    const [book] = await create({ title: 'n', author: { name: 'Ann' } });
    const author = (book!['author'] as JsonObject)['_id'] as string;
    let seen: unknown;
    acting['people'] = (obj, { documents }) => {
      seen = [obj, documents?.map(parse)];
      return { name: 'from the hook' };
    };
    await update(idOf(book), { author: { _id: author, name: 'Bea' } });
    expect(seen).toMatchObject([{ name: 'Bea' }, [{ name: 'Ann' }]]);
    expect(await library.all('people')).toMatchObject([{ name: 'from the hook' }]);
  });
});

describe('beforeDelete', () => {
  test('sees each document, and one null keeps them all', async () => {
    const [a] = await create([{ title: 'a' }, { title: 'b' }]);
    acting['beforeDelete'] = (obj, { documents }) => {
      expect(documents?.map(parse)).toEqual([obj]);
      return obj['title'] === 'b' ? null : { title: 'ignored' };
    };
    const all = library.documents.removeByQuery(
      library.at('books'),
      { query: {}, all: true },
      contextOf(),
      {},
    );
    expect((await refusalOf(all)).code).toBe('HOOK_FAILED');
    expect(await library.all('books')).toHaveLength(2);
    expect(await remove(idOf(a))).toMatchObject({ deleted: 1 });
  });

  test('a document that is not there is 404 and no run', async () => {
    expect((await refusalOf(remove('a'.repeat(24)))).code).toBe('DOCUMENT_NOT_FOUND');
    expect(hooks.ran).toEqual([]);
  });
});

test('after-hooks hear of everything that was committed, nested documents included', async () => {
  const [book] = await create({ title: 'a', author: { name: 'Ann' } });
  await update(idOf(book), {
    title: 'b',
    author: { _id: (book!['author'] as JsonObject)['_id']!, name: 'B' },
  });
  await remove(idOf(book));
  const told = (text: string) => {
    const { title, name, v } = parse(text);
    return [title ?? name, v];
  };
  const heard = hooks.happened.map(({ event, collection, text, previousText }) => [
    ...[event, collection.name, ...told(text)],
    ...(previousText === undefined ? [] : told(previousText)),
  ]);
  expect(heard).toEqual([
    ['afterCreate', 'books', 'a', 1],
    ['afterUpdate', 'books', 'b', 2, 'a', 1],
    ['afterUpdate', 'people', 'B', 2, 'Ann', 1],
    ['afterDelete', 'books', 'b', 2],
  ]);
});
