import { expect, test } from 'vitest';
import { FULL_ACCESS, narrowAccess } from '../../src/collections/model/access.ts';
import type { Collection } from '../../src/collections/model/collection.ts';
import { createCollectionRegistry } from '../../src/collections/model/collection-registry.ts';
import { AppError, StoreError } from '../../src/errors/errors.ts';
import type { Json } from '../../src/lib/json/json.ts';
import { createPublicRecords } from '../../src/media/public-records.ts';
import type { Namespace, StoredDocument } from '../../src/stores/ports.ts';
import { makeCollection } from '../helpers/fixtures/specifications.ts';

const ID = '0123456789abcdef01234567';
const RECORD = { id: ID };
const KEY = '1.0/library/images/2026/a.txt';

/** A lookup over one record, which tells how often it was looked for. */
function build(settings: Json = {}) {
  const registry = createCollectionRegistry();
  const specify = (more: Json = {}) => {
    const all = { type: 'media', ...Object(settings), ...Object(more) };
    registry.put(makeCollection({ public: { type: 'Boolean' } }, all, { name: 'images' }));
  };
  specify();
  const state = {
    now: 0,
    path: KEY as string | undefined,
    error: undefined as Error | undefined,
    mayRead: true,
    looked: 0,
    urls: [] as string[],
  };
  let tell: (changed: readonly Namespace[]) => void = () => undefined;
  const records = createPublicRecords({
    registry,
    records: {
      async findRecord(_collection: Collection, by) {
        state.looked += 1;
        if (state.error !== undefined) throw state.error;
        const matches = 'path' in by && by.path === state.path;
        return matches ? ({ _id: ID } as StoredDocument) : undefined;
      },
    },
    store: { pathOf: (key) => key },
    documents: {
      onCommit(listener) {
        tell = listener;
        return () => undefined;
      },
    },
    mayRead: () => state.mayRead,
    createContext(path) {
      state.urls.push(path);
      return {
        caller: { clientId: null, access: () => narrowAccess(FULL_ACCESS, () => false) },
        deadline: 1,
      };
    },
    now: () => state.now,
  });
  const commit = (collection: string) => tell([{ database: null, collection }]);
  return { state, records, commit, specify, registry };
}

test('a record is looked for once, until its collection is written to', async () => {
  const { state, records, commit } = build();
  expect(await Promise.all([records.find(KEY), records.find(KEY)])).toEqual([RECORD, RECORD]);
  commit('books');
  expect(await records.find(KEY)).toEqual(RECORD);
  expect(state.looked).toBe(1);
  state.path = undefined;
  commit('images');
  expect(await records.find(KEY)).toBeUndefined();
  expect(state).toMatchObject({ looked: 2, urls: [`/${KEY}`, `/${KEY}`] });
});

test('a record that other collections may hide is looked for after every write', async () => {
  for (const settings of [{ defaultFilters: { public: true } }, { hooks: { afterGet: ['look'] } }]) {
    const { state, records, commit } = build(settings);
    await records.find(KEY);
    commit('books');
    await records.find(KEY);
    expect(state.looked).toBe(2);
  }
});

test('what another server changed is seen within a second', async () => {
  const { state, records } = build();
  await records.find(KEY);
  state.path = undefined;
  state.now = 999;
  expect(await records.find(KEY)).toEqual(RECORD);
  state.now = 1000;
  expect(await records.find(KEY)).toBeUndefined();
  // A clock that was set back makes no answer older than that.
  state.path = KEY;
  state.now = -5000;
  expect(await records.find(KEY)).toEqual(RECORD);
});

test('a specification that is changed, closed or removed counts at once', async () => {
  const { state, records, specify, registry } = build();
  await records.find(KEY);
  state.path = undefined;
  specify({ defaultFilters: { public: true } });
  expect(await records.find(KEY)).toBeUndefined();
  state.path = KEY;
  specify();
  expect(await records.find(KEY)).toEqual(RECORD);
  state.mayRead = false;
  expect(await records.find(KEY)).toBeUndefined();
  state.mayRead = true;
  registry.remove({ version: '1.0', database: 'library', name: 'images' });
  expect(await records.find(KEY)).toBeUndefined();
});

test('a key below no media collection has no record', async () => {
  const { state, records, registry } = build();
  registry.put(makeCollection({ title: { type: 'String' } }));
  for (const key of ['1.0/library/books/a.txt', '1.0/library/none/a.txt', 'a.txt', ''])
    expect(await records.find(key)).toBeUndefined();
  expect(state.looked).toBe(0);
});

test('a read that is refused hides the record; one that fails is told and tried again', async () => {
  const { state, records, commit } = build();
  state.error = new AppError('HOOK_FAILED');
  expect(await records.find(KEY)).toBeUndefined();
  state.error = new StoreError('unavailable');
  commit('images');
  await expect(records.find(KEY)).rejects.toMatchObject({ reason: 'unavailable' });
  state.error = undefined;
  expect(await records.find(KEY)).toEqual(RECORD);
});
