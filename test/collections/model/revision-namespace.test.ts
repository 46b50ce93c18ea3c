import { expect, test } from 'vitest';
import { REVISION_INDEX, revisionNamespaceOf } from '../../../src/collections/model/revision-namespace.ts';
import { collectionOf } from '../library-service.ts';

test('revisions lie beside their collection, under the name that the settings give', () => {
  const fields = { title: {} };
  expect(revisionNamespaceOf(collectionOf('books', { fields }))).toEqual({
    database: 'library',
    collection: 'booksHistory',
  });
  const named = collectionOf('books', { fields, settings: { revisionCollection: 'old' } });
  expect(revisionNamespaceOf(named)).toEqual({ database: 'library', collection: 'old' });
});

test('the index leads from a document to its states in order', () => {
  expect(REVISION_INDEX.keys.map(({ path }) => path)).toEqual(['originalDocumentId', 'v']);
});
