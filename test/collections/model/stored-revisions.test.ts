import { expect, test } from 'vitest';
import {
  HISTORY_BLOCK_SIZE,
  REVISION_INDEX,
  revisionBlock,
  revisionIds,
  revisionNamespaceOf,
  splitHistory,
} from '../../../src/collections/model/stored-revisions.ts';
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

const ids = (count: number) => Array.from({ length: count }, (_, n) => `r${n}`);

test('a document that others wrote may have no history, or another thing of that name', () => {
  expect(revisionIds({})).toEqual([]);
  expect(revisionIds({ history: 'x' })).toEqual([]);
});

test('the latest ids leave the document whenever `v` is a multiple of the length of a block', () => {
  expect(splitHistory(ids(150), 151)).toEqual({ kept: ids(150), block: undefined });
  expect(splitHistory(ids(HISTORY_BLOCK_SIZE), 2 * HISTORY_BLOCK_SIZE)).toEqual({
    kept: ids(HISTORY_BLOCK_SIZE),
    block: undefined,
  });
  expect(splitHistory(ids(199), 2 * HISTORY_BLOCK_SIZE)).toEqual({
    kept: ids(HISTORY_BLOCK_SIZE),
    block: ids(199).slice(HISTORY_BLOCK_SIZE),
  });
});

test('a list that begins with the first revision is no block', () => {
  expect(revisionBlock({}, 'r0')).toBeUndefined();
  expect(revisionBlock({ history: [] }, 'r0')).toBeUndefined();
  expect(revisionBlock({ history: ['r0', 'r1'] }, 'r0')).toBeUndefined();
  expect(revisionBlock({ history: ['r1'] }, 'r0')).toEqual(['r1']);
});
