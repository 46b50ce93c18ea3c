import { expect, test } from 'vitest';
import { createRegistry } from '../../../src/collections/model/registry.ts';
import {
  assertNoConflicts,
  checkDefaultFilters,
  checkNameCase,
} from '../../../src/collections/specifications/conflicts.ts';
import type { Json } from '../../../src/lib/json/json.ts';
import { makeCollection } from '../../helpers/specifications.ts';
import { openTemporaryStore } from '../../helpers/temporary-store.ts';

const filterLimits = { filterDepth: 8, filterNodes: 200 };
const bounds = { filterLimits, now: Date.now, queryMs: 5000 };
const books = makeCollection({ a: {} });

test.each([
  [{ version: 'V1' }, { version: 'v1' }, 'version'],
  [{ database: 'Library', version: '2.0' }, {}, 'database'],
  [{ name: 'Books' }, {}, 'collection'],
])('%j beside %j', (mine, theirs, field) => {
  const clash = checkNameCase(makeCollection({ a: {} }, {}, mine), [makeCollection({ a: {} }, {}, theirs)]);
  expect(clash?.field).toBe(field);
});

test('names that differ otherwise, or in another folder, do not clash', () => {
  expect(checkNameCase(makeCollection({ a: {} }, {}, { name: 'people' }), [books])).toBeUndefined();
  expect(
    checkNameCase(makeCollection({ a: {} }, {}, { name: 'Books', database: 'x' }), [books]),
  ).toBeUndefined();
});

test('default filters obey the rules of filters', () => {
  const registry = createRegistry();
  const check = (defaultFilters: Json) =>
    checkDefaultFilters(makeCollection({ a: {} }, { defaultFilters }), registry, filterLimits);
  expect(check({ a: 'x', createdAt: { $gt: 5 } })).toEqual([]);
  expect(check(null)).toEqual([]);
  for (const filter of [{ nope: 1 }, { $where: '1' }, { a: { $near: 1 } }]) {
    expect(check(filter)).toMatchObject([{ setting: 'defaultFilters', field: 'defaultFilters' }]);
  }
});

test('a filter may go through a reference to the collection itself', async () => {
  const { store } = await openTemporaryStore();
  const settings = { defaultFilters: { 'sequel.a': 'x' } };
  const self = makeCollection({ a: {}, sequel: { type: 'Reference' } }, settings);
  await assertNoConflicts(self, { registry: createRegistry(), store, ...bounds });
});

test('revisions are not mixed into documents', async () => {
  const { store } = await openTemporaryStore();
  const registry = createRegistry();
  const revised = makeCollection({ a: {} }, { storeRevisions: true, revisionCollection: 'people' });
  const surroundings = { registry, store, ...bounds };
  await assertNoConflicts(revised, surroundings);

  const ns = { database: null, collection: 'people' };
  const revision = { _id: 'a'.repeat(24), originalDocumentId: 'b'.repeat(24) };
  await store.commit([{ kind: 'insert', ns, document: revision }]);
  await assertNoConflicts(revised, surroundings);

  await store.commit([{ kind: 'insert', ns, document: { _id: 'c'.repeat(24), name: 'Ann' } }]);
  await expect(assertNoConflicts(revised, surroundings)).rejects.toMatchObject({
    code: 'SPECIFICATION_INVALID',
    items: [{ setting: 'revisionCollection' }],
  });
  await assertNoConflicts(makeCollection({ a: {} }, { revisionCollection: 'people' }), surroundings);
});
