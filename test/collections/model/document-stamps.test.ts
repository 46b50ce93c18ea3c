import { expect, test } from 'vitest';
import {
  createRevision,
  stampCreated,
  stampUpdated,
} from '../../../src/collections/model/document-stamps.ts';
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
  const revision = createRevision(state, { id: 's', action: 'update' });
  expect(revision).toEqual({ title: 'A', originalDocumentId: ID, action: 'update', v: 2, _id: 's' });
  expect(Object.keys(revision).slice(-2)).toEqual(['v', '_id']);
  const holder = createRevision(state, { id: 's', action: 'update', block: ['q'] });
  expect(holder).toEqual({ ...revision, history: ['q'] });
});
