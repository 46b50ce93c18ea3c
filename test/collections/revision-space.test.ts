import { expect, test } from 'vitest';
import { REVISION_INDEX, revisionSpace } from '../../src/collections/revision-space.ts';
import { collectionOf } from './library.ts';

test('revisions lie beside their collection, under the name that the settings give', () => {
  const fields = { title: {} };
  expect(revisionSpace(collectionOf('books', { fields }))).toEqual({
    database: 'library',
    collection: 'booksHistory',
  });
  const named = collectionOf('books', { fields, settings: { revisionCollection: 'old' } });
  expect(revisionSpace(named)).toEqual({ database: 'library', collection: 'old' });
});

test('the index leads from a document to its states in order', () => {
  expect(REVISION_INDEX.keys.map(({ path }) => path)).toEqual(['originalDocumentId', 'v']);
});
