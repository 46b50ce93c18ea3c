import { expect, test } from 'vitest';
import type { Collection } from '../../../src/collections/model/collection.ts';
import { createCollectionRegistry } from '../../../src/collections/model/collection-registry.ts';
import {
  assertNoConflicts,
  checkDefaultFilters,
  checkNameCase,
  crossCheck,
  warnMissingHooks,
} from '../../../src/collections/specifications/cross-checks.ts';
import type { Json } from '../../../src/lib/json/json.ts';
import { makeCollection } from '../../helpers/fixtures/specifications.ts';
import { openTemporaryStore } from '../../helpers/store/temporary-store.ts';

const filterLimits = { filterDepth: 8, filterNodes: 200 };
const bounds = { filterLimits, now: Date.now, queryMs: 5000 };
const books = makeCollection({ a: {} });

test.each([
  [{ version: 'V1' }, { version: 'v1' }, 'version'],
  [{ database: 'Library', version: '2.0' }, {}, 'database'],
  [{ name: 'Books' }, {}, 'collection'],
])('a collection that differs from another by case only is rejected: %j, %j', (mine, theirs, field) => {
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
  const registry = createCollectionRegistry();
  const check = (defaultFilters: Json) =>
    checkDefaultFilters(makeCollection({ a: {} }, { defaultFilters }), registry, filterLimits);
  expect(check({ a: 'x', createdAt: { $gt: 5 } })).toEqual([]);
  expect(check(null)).toEqual([]);
  const odd = { a: { $in: ['x', {}] } };
  for (const filter of [{ nope: 1 }, { $where: '1' }, { a: { $near: 1 } }, { createdAt: 'soon' }, odd]) {
    expect(check(filter)).toMatchObject([{ setting: 'defaultFilters', field: 'defaultFilters' }]);
  }
});

test('a filter may go through a reference to the collection itself', async () => {
  const { store } = await openTemporaryStore();
  const settings = { defaultFilters: { 'sequel.a': 'x' } };
  const self = makeCollection({ a: {}, sequel: { type: 'Reference' } }, settings);
  await assertNoConflicts(self, { registry: createCollectionRegistry(), store, ...bounds });
});

test('revisions are not mixed into documents', async () => {
  const { store } = await openTemporaryStore();
  const registry = createCollectionRegistry();
  const revised = makeCollection({ a: {} }, { storeRevisions: true, revisionCollection: 'people' });
  const deps = { registry, store, ...bounds };
  await assertNoConflicts(revised, deps);

  const ns = { database: null, collection: 'people' };
  const revision = { _id: 'a'.repeat(24), originalDocumentId: 'b'.repeat(24) };
  await store.commit([{ kind: 'insert', ns, document: revision }]);
  await assertNoConflicts(revised, deps);

  await store.commit([{ kind: 'insert', ns, document: { _id: 'c'.repeat(24), name: 'Ann' } }]);
  await expect(assertNoConflicts(revised, deps)).rejects.toMatchObject({
    code: 'SPECIFICATION_INVALID',
    items: [{ setting: 'revisionCollection' }],
  });
  await assertNoConflicts(makeCollection({ a: {} }, { revisionCollection: 'people' }), deps);
});

function crossIssuesOf(collection: Collection, ...others: readonly Collection[]) {
  const registry = createCollectionRegistry();
  for (const entry of [collection, ...others]) registry.put(entry);
  return crossCheck(collection, registry).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

test('a reference to a missing collection is a warning', () => {
  const fields = {
    author: { type: 'Reference', settings: { collection: 'people' } },
    self: { type: 'Reference' },
  };
  const books = makeCollection(fields);
  expect(crossIssuesOf(books)).toEqual([
    'fields.author.settings.collection: `author` refers to a collection that does not exist in version 1.0',
  ]);
  expect(crossIssuesOf(books, makeCollection({ a: {} }, {}, { name: 'people' }))).toEqual([]);
});

test('two folders that share documents are a warning, two versions are not', () => {
  const books = makeCollection({ a: {} });
  expect(crossIssuesOf(books, makeCollection({ a: {} }, {}, { version: '2.0' }))).toEqual([]);
  expect(crossIssuesOf(books, makeCollection({ a: {} }, {}, { database: 'archive' }))[0]).toContain(
    'shares its documents with /1.0/archive/books',
  );
});

test('a collection that shares its documents with a media collection is a warning', () => {
  const media = makeCollection({ a: {} }, { type: 'media' }, { version: '2.0' });
  expect(crossIssuesOf(makeCollection({ a: {} }), media)).toEqual([
    expect.stringMatching(
      /^settings.type: shares its documents with the media collection \/2.0\/library\/books/,
    ),
  ]);
  expect(crossIssuesOf(makeCollection({ a: {} }, { type: 'media' }), media)).toEqual([]);
});

test('a collection that holds the revisions of another one is a warning', () => {
  const books = makeCollection({ a: {} }, { storeRevisions: true });
  const history = makeCollection({ a: {} }, {}, { name: 'booksHistory' });
  expect(crossIssuesOf(books, history)[0]).toContain('/1.0/library/booksHistory');
});

test('a hook that does not exist is a warning', () => {
  const use = (...hooks: string[]) =>
    makeCollection({ a: {} }, { hooks: { afterGet: hooks, beforeGet: ['b'] } });
  expect(warnMissingHooks(use('a', 'b'), new Set(['b']))).toEqual([
    { path: ['settings', 'hooks', 'afterGet'], message: 'afterGet: there is no hook `a`' },
  ]);
  expect(warnMissingHooks(use('a'), undefined)).toEqual([]);
  expect(warnMissingHooks(makeCollection({ a: {} }), new Set())).toEqual([]);
});

test('a version that shows what another one keeps back is warned of', () => {
  const registry = createCollectionRegistry();
  const access = { read: [{ to: 'staff' }] };
  const ruled = makeCollection({ a: {} }, { access });
  const open = makeCollection({ a: {} }, {}, { version: '2.0' });
  for (const one of [ruled, open]) registry.put(one);
  expect(crossCheck(ruled, registry)).toEqual([
    {
      path: ['settings', 'access'],
      message: `has access rules, but ${open.path} shows the same documents without any`,
    },
  ]);
  expect(crossCheck(open, registry)).toEqual([
    {
      path: ['settings', 'access'],
      message: `shows the documents of ${ruled.path}, which has access rules, without any`,
    },
  ]);
  registry.put(makeCollection({ a: {} }, { access }, { version: '2.0' }));
  expect(crossCheck(ruled, registry)).toEqual([]);
  const hiding = makeCollection(
    { a: { type: 'String', access: { read: [] } } },
    { access },
    { version: '3.0' },
  );
  registry.put(hiding);
  expect(crossCheck(hiding, registry)).toEqual([]);
  expect(crossCheck(ruled, registry)).toEqual([
    {
      path: ['fields', 'a'],
      message: `\`a\` is hidden from nobody here; ${hiding.path}, which has the same documents, says who may read it`,
    },
  ]);
});
