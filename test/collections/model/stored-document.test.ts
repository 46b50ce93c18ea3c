import { expect, test } from 'vitest';
import {
  bsonBytes,
  createRevision,
  HISTORY_BLOCK_SIZE,
  MAX_DOCUMENT_BYTES,
  MAX_DOCUMENT_CHARACTERS,
  REVISION_INDEX,
  revisionBlock,
  revisionIds,
  revisionNamespaceOf,
  sizeIssue,
  splitHistory,
  stampCreated,
  stampUpdated,
} from '../../../src/collections/model/stored-document.ts';
import type { Json } from '../../../src/lib/json/json.ts';
import { documentVersion } from '../../../src/lib/json/stored-json.ts';
import { collectionOf } from '../library-service.ts';

const plain = collectionOf('books', { fields: { title: {}, pages: {} } });
const ID = 'a'.repeat(24);

test('v and _id come last in every state', () => {
  const created = stampCreated(plain, { title: 'A' }, { at: 1, by: null, id: ID, history: ['r'] });
  expect(JSON.stringify(created)).toBe(
    `{"title":"A","apiVersion":"1.0","createdAt":1,"createdBy":null,"history":["r"],"v":1,"_id":"${ID}"}`,
  );
  const updated = stampUpdated(plain, created, {
    fields: { pages: 2, title: null },
    at: 2,
    by: 'b',
    history: ['r', 's'],
  });
  expect(JSON.stringify(updated)).toBe(
    `{"title":null,"pages":2,"apiVersion":"1.0","createdAt":1,"createdBy":null,"lastModifiedAt":2,` +
      `"lastModifiedBy":"b","history":["r","s"],"v":2,"_id":"${ID}"}`,
  );
});

test('a document that others wrote may lack everything that is ours', () => {
  const stored = { _id: ID, title: 'A', constructor: 1 };
  expect(documentVersion(stored)).toBe(0);
  expect(documentVersion({ v: 'x' })).toBe(0);
  const updated = stampUpdated(plain, stored, { fields: {}, at: 2, by: null, history: [] });
  expect(updated).toEqual({
    title: 'A',
    constructor: 1,
    apiVersion: '1.0',
    lastModifiedAt: 2,
    lastModifiedBy: null,
    v: 1,
    _id: ID,
  });
});

test('a revision is the state under an id of its own', () => {
  const state = { title: 'A', history: ['r', 's'], v: 2, _id: ID };
  const revision = createRevision(state, { id: 's', action: 'update', originalCollection: 'books' });
  const about = { originalDocumentId: ID, originalCollection: 'books', action: 'update' };
  expect(revision).toEqual({ title: 'A', ...about, v: 2, _id: 's' });
  expect(Object.keys(revision).slice(-2)).toEqual(['v', '_id']);
  const holder = createRevision(state, {
    id: 's',
    action: 'update',
    originalCollection: 'books',
    block: ['q'],
  });
  expect(holder).toEqual({ ...revision, history: ['q'] });
});

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

// Sizes as the BSON specification gives them, type byte and name left out.
test.each([
  [null, 0],
  [true, 1],
  [1, 4],
  [2 ** 31, 8],
  [0.5, 8],
  ['', 5],
  ['ü', 7],
  [{}, 5],
  [{ a: 1 }, 12],
  [[1, 'x'], 5 + 7 + 9],
  [Array.from({ length: 101 }, () => null), 5 + 10 * 3 + 90 * 4 + 5],
] as const)('%j', (value, bytes) => {
  expect(bsonBytes(value as Json)).toBe(bytes);
});

const check = (document: Json) => sizeIssue(document, JSON.stringify(document)) !== undefined;

test('a text at the bound fits, one byte more does not', () => {
  const frame = bsonBytes({ a: '' });
  expect(check({ a: 'x'.repeat(MAX_DOCUMENT_BYTES - frame) })).toBe(false);
  expect(check({ a: 'x'.repeat(MAX_DOCUMENT_BYTES - frame + 1) })).toBe(true);
});

test('short JSON that is long as BSON is too large', () => {
  const digits = Array.from({ length: 1_400_000 }, () => 1);
  expect(JSON.stringify(digits).length).toBeLessThan(MAX_DOCUMENT_BYTES / 5);
  expect(check({ digits })).toBe(true);
});

test('the size of a document counts the characters of the text too, which a read is bounded by', () => {
  const controls = { a: '\u0000'.repeat(MAX_DOCUMENT_CHARACTERS / 6) };
  expect(bsonBytes(controls)).toBeLessThan(MAX_DOCUMENT_BYTES);
  expect(sizeIssue(controls, JSON.stringify(controls))).toMatch(/^has more than \d+ characters as JSON/);
});
