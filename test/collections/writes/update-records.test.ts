// What the server sets in a media record stays as it is, whoever asks for something else.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { createFakeHooks } from '../fake-hooks.ts';
import { contextOf, type Library, openLibrary, parse, refusalOf } from '../library-service.ts';

const SOURCES = {
  images: {
    fields: { alt: {}, path: { type: 'String', required: true } },
    settings: { type: 'media', hooks: { beforeUpdate: ['touch'] } },
  },
  // Those of another name, to refer to images from.
  books: {
    fields: { title: {}, cover: { type: 'Reference', settings: { collection: 'images' } } },
  },
};
const OWN = { fileName: 'a.png', path: '1.0/library/images/a.png', width: 10, url: '/a.png' };
const CHANGES = { fileName: 'b', path: '../x', width: -1, url: 5, cloudUrl: 'x', originalFileName: null };

let library: Library;
let id: string;
beforeEach(async () => {
  const hooks = createFakeHooks({ touch: (obj) => ({ ...obj, mimetype: 'text/html', contentLength: 0 }) });
  library = await openLibrary(SOURCES, { hooks });
  const record = { serverFields: OWN, fields: { alt: 'A' } };
  const { results } = await library.documents.createRecords(library.at('images'), [record], contextOf());
  id = String(parse(results[0]!)['_id']);
});
afterEach(() => library.close());

const put = async (body: JsonObject) =>
  parse((await library.documents.updateById(library.at('images'), id, body, contextOf(), {})).results[0]!);
const stored = async (name = 'images') => (await library.all(name))[0]!;

test('an update by id or query, and a hook before it, change declared fields only', async () => {
  expect(await put({ ...CHANGES, alt: 'B' })).toMatchObject({ ...OWN, alt: 'B', v: 2 });
  const body = { query: { path: OWN.path }, update: { ...CHANGES, alt: 'C' } };
  await library.documents.updateByQuery(library.at('images'), body, contextOf(), {});
  const { createdAt, ...rest } = await stored();
  expect(rest).toEqual({
    ...OWN,
    alt: 'C',
    apiVersion: '1.0',
    createdBy: 'ann',
    v: 3,
    _id: id,
    lastModifiedAt: expect.any(Number),
    lastModifiedBy: 'ann',
  });
});

test('a record that was fetched can be sent back, and other fields are refused as ever', async () => {
  expect(await put({ ...(await stored()), alt: 'B' })).toMatchObject({ ...OWN, alt: 'B' });
  const { items } = await refusalOf(put({ path: 'x', nope: 1 }));
  expect(items).toMatchObject([{ field: 'nope' }]);
});

test('a document that refers to a record never changes it, and never makes one', async () => {
  const [book] = await library.create('books', {
    title: 'x',
    cover: { ...OWN, _id: id, path: 'y', alt: 'z' },
  });
  expect(book).toMatchObject({ cover: id });
  expect(await stored()).toMatchObject({ ...OWN, alt: 'A', v: 1 });
  const { status, items } = await refusalOf(
    library.create('books', [{ title: 'a' }, { cover: { alt: 'z' } }]),
  );
  expect([status, items]).toEqual([400, [{ field: 'cover.file', message: 'must be specified', index: 1 }]]);
  expect(await library.all('images')).toHaveLength(1);
});
