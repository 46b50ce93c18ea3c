// A collection that shares the documents of a media collection without being one: no way around the rules of records.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMemoryFiles, type MemoryFiles } from '../helpers/store/memory-media.ts';
import { collectionOf, contextOf, type Library, openLibrary, parse, refusalOf } from './library-service.ts';

const PATH = '1.0/library/images/a.png';
const PLAIN = {
  ...collectionOf('images', { fields: { alt: {}, path: { required: true } } }),
  version: '2.0',
  path: '/2.0/library/images',
};

let files: MemoryFiles;
let library: Library;
let id: string;
beforeEach(async () => {
  files = createMemoryFiles(PATH);
  library = await openLibrary({ images: { fields: { alt: {} }, settings: { type: 'media' } } }, { files });
  library.put(PLAIN);
  const record = { serverFields: { path: PATH }, fields: {} };
  const { results } = await library.documents.createRecords(library.at('images'), [record], contextOf());
  id = String(parse(results[0]!)['_id']);
});
afterEach(() => library.close());

test('a write through a record creates none, changes no path, and takes the file along', async () => {
  const { items } = await refusalOf(
    library.documents.create(PLAIN, { alt: 'x', path: 'y' }, contextOf(), {}),
  );
  expect(items).toMatchObject([{ field: 'file' }]);
  const { results } = await library.documents.updateById(PLAIN, id, { path: 'y', alt: 'x' }, contextOf(), {});
  expect(results.map(parse)).toMatchObject([{ path: PATH, alt: 'x' }]);
  await library.documents.removeById(PLAIN, id, contextOf(), {});
  expect(files.keys.size).toBe(0);
});
