import { describe, expect, it } from 'vitest';
import { yieldToEventLoop } from '../../../../src/lib/async/maybe-promise.ts';
import { createDocumentCache } from '../../../../src/stores/sqlite-documents/query/documents-by-id.ts';
import { openTemporaryStore } from '../../../helpers/store/temporary-store.ts';
import { idOf } from '../test-database.ts';

const ENTRY = {
  ...{ n: 1, ns: { database: null, collection: 'a' }, documents: 5, bytes: 1, largest: 1 },
  ...{ writes: 3, indexes: [] },
};
const OTHER = { ...ENTRY, n: 2 };

describe('the cache of documents', () => {
  it('has the texts of a collection until the next write to it', () => {
    const cache = createDocumentCache(10_000);
    cache.add(ENTRY, 'x', '{"a":1}');
    cache.add(OTHER, 'x', '{"b":1}');
    expect([...cache.textsOf(ENTRY)]).toEqual([['x', '{"a":1}']]);
    expect([...cache.textsOf({ ...ENTRY, writes: 4 })]).toEqual([]);
    expect([...cache.textsOf(ENTRY)]).toEqual([]);
    expect(cache.textsOf(OTHER).get('x')).toBe('{"b":1}');
  });

  it('is emptied when all collections together are too large for it', () => {
    const cache = createDocumentCache(10_000);
    const text = 'x'.repeat(1000);
    const size = () => cache.textsOf(ENTRY).size + cache.textsOf(OTHER).size;
    for (const id of ['a', 'b']) for (const entry of [ENTRY, OTHER]) cache.add(entry, id, text);
    expect(size()).toBe(4);
    cache.add(ENTRY, 'c', text);
    expect([...cache.textsOf(ENTRY).keys()]).toEqual(['c']);
    expect(size()).toBe(1);
  });

  it('has room again after a write to a collection', () => {
    const cache = createDocumentCache(10_000);
    for (let writes = 0; writes < 10; writes += 1) cache.add({ ...ENTRY, writes }, 'a', 'x'.repeat(4000));
    cache.add(OTHER, 'a', '{}');
    expect(cache.textsOf({ ...ENTRY, writes: 9 }).size).toBe(1);
  });

  it('holds no long documents, and counts none twice', () => {
    const cache = createDocumentCache(1_000_000);
    cache.add(ENTRY, 'long', 'x'.repeat(40_000));
    expect(cache.textsOf(ENTRY).size).toBe(0);
    for (let n = 0; n < 1000; n += 1) cache.add(ENTRY, 'same', 'x'.repeat(2000));
    cache.add(ENTRY, 'another', 'x');
    expect(cache.textsOf(ENTRY).size).toBe(2);
  });
});

it('documents that another store on the same file wrote are found by their ids at once', async () => {
  const ns = { database: null, collection: 'people' };
  const { store, path } = await openTemporaryStore();
  const { store: other } = await openTemporaryStore(path);
  const document = { name: 'Ann', v: 1, _id: idOf(1) };
  await store.commit([{ kind: 'insert', ns, document }]);
  const names = async () => {
    // All reads of one turn of the event loop see the same state of the file.
    await yieldToEventLoop();
    return [...(await store.findByIds(ns, [idOf(1)])).values()].map((text) => JSON.parse(text).name);
  };
  expect(await names()).toEqual(['Ann']);
  const changed = { ...document, name: 'Bea', v: 2 };
  await other.commit([{ kind: 'update', ns, id: idOf(1), v: 1, document: changed, changed: ['name', 'v'] }]);
  expect(await names()).toEqual(['Bea']);
  await other.commit([{ kind: 'remove', ns, id: idOf(1), v: 2 }]);
  expect(await names()).toEqual([]);
});
