// Records of uploaded files: created by the service alone, with what the server sets in them.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ExtraWriteError, type NewRecord } from '../../../src/collections/model/documents.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { Write } from '../../../src/stores/ports.ts';
import { createFakeHooks } from '../fake-hooks.ts';
import { contextOf, type Library, openLibrary, parse, refusalOf } from '../library-service.ts';

const SOURCES = {
  images: {
    fields: {
      alt: { type: 'String', required: true },
      fileName: { type: 'String', required: true },
      by: { type: 'Reference', settings: { collection: 'people' } },
    },
    settings: {
      type: 'media',
      storeRevisions: true,
      hooks: { beforeCreate: ['touch'] },
      index: [{ keys: { alt: 1 }, options: { unique: true } }],
    },
  },
  people: { fields: { name: {} } },
};
const hooks = createFakeHooks({
  touch: (obj) => ({ ...obj, mimetype: 'text/html', width: 1, alt: `${obj['alt']} of ${obj['fileName']}` }),
});
const own = (name: string): JsonObject => ({
  fileName: name,
  mimetype: 'image/png',
  path: `1.0/library/images/${name}`,
  contentLength: 5,
});
const record = (name: string, fields: JsonObject = { alt: name }): NewRecord => ({
  serverFields: own(name),
  fields,
});
const token = (id: string): Write => ({
  kind: 'insert',
  ns: { database: null, collection: 'cloister.tokens' },
  document: { _id: id },
});

let library: Library;
beforeEach(async () => {
  library = await openLibrary(SOURCES, { hooks });
});
afterEach(() => library.close());

const create = async (records: readonly NewRecord[], also?: readonly Write[]) => {
  const options = also === undefined ? {} : { extraWrites: also };
  const images = library.at('images');
  const { results } = await library.documents.createRecords(images, records, contextOf(), options);
  return results.map(parse);
};

test('a record has what the server sets, whatever client and hook say, and what they may say', async () => {
  const fields = { alt: 'A', path: 'elsewhere', width: 9, _id: 'mine', createdBy: 'eve' };
  const [made] = await create([record('a.png', fields)]);
  expect(made).toMatchObject({ ...own('a.png'), alt: 'A of a.png', createdBy: 'ann', v: 1 });
  expect(made).not.toHaveProperty('width');
  expect(await library.all('images')).toEqual([made]);
  expect(await library.all('imagesHistory')).toMatchObject([{ ...own('a.png'), action: 'create' }]);
});

test('records are validated like documents, and all are created or none', async () => {
  const records = [record('a.png'), record('b.png', { nope: 1 }), record('c.png')];
  const { items } = await refusalOf(create(records, [token('t')]));
  expect(items).toMatchObject([{ field: 'nope', index: 1 }]);
  expect(await library.all('images')).toEqual([]);
  expect(await create([record('a.png')], [token('t')])).toHaveLength(1);
});

test('a record may bring documents that it refers to', async () => {
  const [made] = await create([record('a.png', { alt: 'x', by: { name: 'Ann' } })]);
  expect(made).toMatchObject({ by: { name: 'Ann' } });
  expect(await library.all('people')).toHaveLength(1);
});

test('a write beside the records that somebody was faster with tells itself from a bad record', async () => {
  await create([record('a.png')], [token('used')]);
  const again = create([record('b.png')], [token('fresh'), token('used')]);
  await expect(again).rejects.toSatisfy(
    (error) => error instanceof ExtraWriteError && error.reason === 'duplicate' && error.position === 1,
  );
  const gone: Write = { kind: 'remove', ns: token('x').ns, id: 'never', v: 3 };
  await expect(create([record('b.png')], [gone])).rejects.toMatchObject({
    name: 'ExtraWriteError',
    reason: 'conflict',
    position: 0,
  });
  const duplicate = await refusalOf(create([record('a.png')], [token('fresh')]));
  expect(duplicate.items).toMatchObject([{ field: 'alt', code: 'ERROR_UNIQUE' }]);
  expect(await library.all('images')).toHaveLength(1);
  expect(await library.all('imagesHistory')).toHaveLength(1);
});

test('a document of a media collection is not created without its file', async () => {
  for (const body of [{ alt: 'x' }, [{ alt: 'x', path: 'a' }], 'x']) {
    const { status, items } = await refusalOf(library.create('images', body));
    expect([status, items]).toEqual([400, [{ field: 'file', message: 'must be specified' }]]);
  }
  expect(await library.all('images')).toEqual([]);
});
