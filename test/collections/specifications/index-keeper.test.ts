import { expect, test } from 'vitest';
import { createIndexKeeper } from '../../../src/collections/specifications/index-keeper.ts';
import type { DocumentStore } from '../../../src/stores/ports.ts';
import { silentLog } from '../../helpers/specification-service.ts';
import { makeCollection } from '../../helpers/specifications.ts';
import { openTemporaryStore } from '../../helpers/temporary-store.ts';

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
  const keeper = createIndexKeeper(store, silentLog().log);
  await keeper.add(plain, []);
  const before = await namesIn(store);
  await expect(keeper.add(unique, [plain])).rejects.toMatchObject({
    code: 'SPECIFICATION_INVALID',
    items: [{ section: 'settings', setting: 'index', field: 'a' }],
  });
  expect(await namesIn(store)).toEqual(before);
});

test('an addition can be taken back, and what nobody declares is dropped', async () => {
  const { store } = await openTemporaryStore();
  const keeper = createIndexKeeper(store, silentLog().log);
  const takeBack = await keeper.add(unique, []);
  expect(await namesIn(store)).toEqual(expect.arrayContaining(['a_1', 'b_1']));
  await takeBack();
  expect(await namesIn(store)).not.toContain('a_1');
  await keeper.add(unique, []);
  await keeper.drop(unique, []);
  expect(await namesIn(store)).not.toContain('a_1');
});

test('a start goes on without an index that the data do not permit', async () => {
  const store = await openWithTwins();
  const { log, errors } = silentLog();
  await createIndexKeeper(store, log).addAll([unique]);
  expect(errors).toHaveLength(1);
  const names = await namesIn(store);
  expect(names).toContain('b_1');
  expect(names).not.toContain('a_1');
});
