import { expect, test } from 'vitest';
import type { Collection } from '../../../src/collections/model/collection.ts';
import { activeRevisionNamespace } from '../../../src/collections/model/stored-document.ts';
import {
  createIndexSync,
  declaredIndexes,
  declaredIndexesOf,
} from '../../../src/collections/specifications/index-sync.ts';
import { StoreError } from '../../../src/errors/errors.ts';
import { createKeyedMutex } from '../../../src/lib/async/concurrency.ts';
import type { Json } from '../../../src/lib/json/json.ts';
import type { DocumentStore } from '../../../src/stores/ports.ts';
import { makeCollection, silentLog } from '../../helpers/fixtures/specifications.ts';
import { failingStore, openTemporaryStore } from '../../helpers/store/temporary-store.ts';

const books = makeCollection({ a: {} }, { storeRevisions: true, index: [{ keys: { a: 1 } }] });
const HISTORY = { database: null, collection: 'booksHistory' };

test('revisions live beside the documents', () => {
  expect(activeRevisionNamespace(books)).toEqual(HISTORY);
  expect(activeRevisionNamespace(makeCollection({ a: {} }))).toBeUndefined();
});

test('the home of revisions can be asked by the document they are of', () => {
  const declared = declaredIndexesOf([books], [books]);
  expect(
    declared.map(({ namespace, indexes }) => [namespace.collection, indexes.map(({ name }) => name)]),
  ).toEqual([
    ['books', ['a_1']],
    ['booksHistory', ['originalDocumentId_1_v_1', 'originalRemoval.at_1']],
  ]);
});

test('the indexes of collections of one name are declared together', () => {
  const second = makeCollection({ b: {} }, { index: [{ keys: { b: 1 } }] }, { version: '2.0' });
  expect(declaredIndexes(books.namespace, [books, second]).indexes.map(({ name }) => name)).toEqual([
    'a_1',
    'b_1',
  ]);
  expect(declaredIndexes(books.namespace, []).indexes).toEqual([]);
});

test('a specification of the revision collection adds its own, under whatever name', () => {
  const own = [
    { keys: { a: 1 }, options: { name: 'originalDocumentId_1_v_1' } },
    { keys: { originalDocumentId: 1, v: 1 }, options: { name: 'mine' } },
  ];
  const namesWith = (index: Json) => {
    const history = makeCollection({ a: {} }, { index }, { name: 'booksHistory' });
    return declaredIndexes(HISTORY, [books, history]).indexes.map(({ name }) => name);
  };
  expect(namesWith([own[0]!])).toEqual([
    'originalDocumentId_1_v_1',
    'originalDocumentId_1_v_1_2',
    'originalRemoval.at_1',
  ]);
  expect(namesWith([own[1]!])).toEqual(['mine', 'originalRemoval.at_1']);
});

test('no index on revisions is unique: it would refuse the second revision of a document', () => {
  const index = [{ keys: { a: 1 }, options: { unique: true } }];
  const history = makeCollection({ a: {} }, { index }, { name: 'booksHistory' });
  const uniqueOf = (collections: readonly Collection[]) =>
    declaredIndexes(HISTORY, collections).indexes.map(({ name, unique }) => [name, unique]);
  expect(uniqueOf([history])).toEqual([['a_1', true]]);
  expect(uniqueOf([books, history])).toEqual([
    ['a_1', false],
    ['originalDocumentId_1_v_1', false],
    ['originalRemoval.at_1', false],
  ]);
});

const alone = createKeyedMutex().withLock;
const NS = { database: null, collection: 'books' };
const UNIQUE = { index: [{ keys: { a: 1 }, options: { unique: true } }, { keys: { b: 1 } }] };
const unique = makeCollection({ a: {}, b: {} }, UNIQUE);
const plain = makeCollection({ a: {}, b: {} }, { index: [{ keys: { b: 1 } }] });

async function openWithTwins(): Promise<DocumentStore> {
  const { store } = await openTemporaryStore();
  const ids = ['a'.repeat(24), 'b'.repeat(24)];
  await store.commit(ids.map((_id) => ({ kind: 'insert', ns: NS, document: { _id, a: 'same' } })));
  return store;
}

const namesIn = async (store: DocumentStore) => Object.keys((await store.stats(NS)).indexSizes).sort();

test('data that break a unique index: refused by the name of the field, and nothing changes', async () => {
  const store = await openWithTwins();
  const keeper = createIndexSync(store, silentLog().log, Date.now);
  await keeper.apply(plain, () => []);
  const before = await namesIn(store);
  await expect(keeper.apply(unique, () => [plain])).rejects.toMatchObject({
    code: 'SPECIFICATION_INVALID',
    items: [{ section: 'settings', setting: 'index', field: 'a' }],
  });
  expect(await namesIn(store)).toEqual(before);
});

test('an addition can be taken back, and what nobody declares is dropped', async () => {
  const { store } = await openTemporaryStore();
  const keeper = createIndexSync(store, silentLog().log, Date.now);
  const takeBack = await keeper.apply(unique, () => []);
  expect(await namesIn(store)).toEqual(expect.arrayContaining(['a_1', 'b_1']));
  await takeBack();
  expect(await namesIn(store)).not.toContain('a_1');
  await keeper.apply(unique, () => []);
  await keeper.adjust(unique, () => []);
  expect(await namesIn(store)).not.toContain('a_1');
});

test('a start goes on without an index that the data do not permit', async () => {
  const store = await openWithTwins();
  const { log, errors } = silentLog();
  await createIndexSync(store, log, Date.now).applyAll(() => [unique], alone);
  expect(errors).toHaveLength(1);
  const names = await namesIn(store);
  expect(names).toContain('b_1');
  expect(names).not.toContain('a_1');
});

test('a start goes on without the indexes of a collection whose data are damaged', async () => {
  const { store } = await openTemporaryStore();
  const { log, errors } = silentLog();
  const ensured: string[] = [];
  const damaged: Pick<DocumentStore, 'ensureIndexes'> = {
    ensureIndexes: async (ns, indexes) => {
      if (ns.collection === 'books') throw new StoreError('damaged');
      ensured.push(ns.collection);
      return store.ensureIndexes(ns, indexes);
    },
  };
  const other = makeCollection({ a: {} }, { index: [{ keys: { a: 1 } }] }, { name: 'others' });
  await createIndexSync(damaged, log, Date.now).applyAll(() => [unique, other], alone);
  expect(errors).toHaveLength(1);
  expect(ensured).toContain('others');
});

/** The indexes of a database where somebody else's index is in the way of every unique one on `a`. */
function crowded(store: DocumentStore): Pick<DocumentStore, 'ensureIndexes'> {
  return {
    async ensureIndexes(ns, indexes) {
      const refused = indexes.some(({ unique: isUnique }) => isUnique);
      if (refused) throw new StoreError('index-conflict', { fields: ['a'] });
      return store.ensureIndexes(ns, indexes);
    },
  };
}

test("somebody else's index in the way: refused by the name of the field, and a start goes on without", async () => {
  const { store } = await openTemporaryStore();
  const { log, errors } = silentLog();
  const keeper = createIndexSync(crowded(store), log, Date.now);
  const message = 'an index that is there already stands in the way of that on `a`';
  await expect(keeper.apply(unique, () => [])).rejects.toMatchObject({
    code: 'SPECIFICATION_INVALID',
    items: [{ section: 'settings', setting: 'index', field: 'a', message }],
  });
  await keeper.applyAll(() => [unique], alone);
  expect(errors).toHaveLength(1);
  expect(await namesIn(store)).toContain('b_1');
});

test('what is found out later is logged: an index that cannot be built, and one that the end of the store cut short', async () => {
  const { log, errors, warnings } = silentLog();
  const failing = (reason: 'index-conflict' | 'unavailable') =>
    createIndexSync(
      { ensureIndexes: async () => ({ built: Promise.reject(new StoreError(reason)) }) },
      log,
      Date.now,
    );
  await failing('index-conflict').apply(plain, () => []);
  await failing('unavailable').apply(plain, () => []);
  await expect.poll(() => [errors.length, warnings.length]).toEqual([1, 1]);
});

test('a start says that the store is away, and may be repeated', async () => {
  const { store } = await openTemporaryStore();
  const away = failingStore(store);
  const { log, errors } = silentLog();
  const keeper = createIndexSync(away, log, Date.now);
  for (const reason of ['unavailable', 'timeout', 'busy'] as const) {
    away.fail(reason);
    await expect(keeper.applyAll(() => [unique], alone)).rejects.toMatchObject({ reason });
  }
  away.recover();
  await keeper.applyAll(() => [unique], alone);
  expect(errors).toEqual([]);
  expect(await namesIn(store)).toEqual(expect.arrayContaining(['a_1', 'b_1']));
});

test('a collection that is slow to answer keeps no other waiting at a start, one that is away does', async () => {
  const { store } = await openTemporaryStore();
  const other = makeCollection({ a: {} }, { index: [{ keys: { a: 1 } }] }, { name: 'others' });
  for (const [reason, asked] of [
    ['timeout', ['books', 'others']],
    ['unavailable', ['books']],
  ] as const) {
    const names: string[] = [];
    const slow: Pick<DocumentStore, 'ensureIndexes'> = {
      async ensureIndexes(ns, indexes) {
        names.push(ns.collection);
        if (ns.collection === 'books') throw new StoreError(reason);
        return store.ensureIndexes(ns, indexes);
      },
    };
    const start = createIndexSync(slow, silentLog().log, Date.now).applyAll(() => [plain, other], alone);
    await expect(start).rejects.toMatchObject({ reason });
    expect(names).toEqual(asked);
  }
});

test('what is being built, or could not be, is told until all indexes serve', async () => {
  const builds: PromiseWithResolvers<void>[] = [];
  const store: Pick<DocumentStore, 'ensureIndexes'> = {
    async ensureIndexes() {
      const build = Promise.withResolvers<void>();
      builds.push(build);
      return { built: build.promise };
    },
  };
  let clock = 1;
  const keeper = createIndexSync(store, silentLog().log, () => clock);
  expect(keeper.buildOf(plain)).toBeUndefined();
  await keeper.apply(plain, () => []);
  clock = 2;
  expect(keeper.buildOf(plain)).toEqual({ state: 'building', since: 1 });
  builds[0]?.resolve();
  await expect.poll(() => keeper.buildOf(plain)).toBeUndefined();
  for (const [reason, state] of [
    ['unavailable', 'waiting'],
    ['index-conflict', 'failed'],
  ] as const) {
    await keeper.apply(plain, () => []);
    builds.at(-1)?.reject(new StoreError(reason));
    await expect.poll(() => keeper.buildOf(plain)).toEqual({ state, since: 2 });
  }
  // A build that was replaced by a later one tells nothing any more.
  await keeper.apply(plain, () => []);
  const replaced = builds.at(-1);
  await keeper.apply(plain, () => []);
  replaced?.reject(new StoreError('index-conflict'));
  await replaced?.promise.catch(() => undefined);
  expect(keeper.buildOf(plain)).toMatchObject({ state: 'building' });
});
