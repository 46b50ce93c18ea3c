import { describe, expect, it } from 'vitest';
import { yieldToEventLoop } from '../../../../src/lib/async/maybe-promise.ts';
import { MATCH_ALL } from '../../../../src/stores/filter.ts';
import {
  createDocumentCache,
  findCandidates,
} from '../../../../src/stores/sqlite-documents/query/fetch-documents.ts';
import {
  type Access,
  FULL_RANGE,
  type IndexAccess,
} from '../../../../src/stores/sqlite-documents/query/index-access.ts';
import { openTemporaryStore } from '../../../helpers/store/temporary-store.ts';
import { idOf, indexOf, NO_LIMIT, NS, openTestDatabase, type TestDatabase } from '../test-database.ts';

const COUNT = 1234;
const END = Buffer.from([0]);

function filled(): TestDatabase {
  const bench = openTestDatabase();
  bench.index(indexOf({ path: 'tags' }));
  bench.fill(Array.from({ length: COUNT }, (_, n) => ({ n: n + 1, tags: n % 2 === 0 ? ['a', 'b'] : ['c'] })));
  return bench;
}

function found(bench: TestDatabase, access: Access, filter = MATCH_ALL): number[] {
  const entry = bench.catalogue.get(NS)!;
  const search = {
    connection: bench.connection,
    entry,
    workLimit: NO_LIMIT,
    filter,
  };
  return [...findCandidates(search, access)].map(([, json]) => (JSON.parse(json) as { n: number }).n);
}

describe('candidates', () => {
  it('of an id scan come in slices in id order, for every direction and range', () => {
    const bench = filled();
    const all = Array.from({ length: COUNT }, (_, n) => n + 1);
    const walk = { kind: 'id-scan', reversed: false, low: '', high: END } as const;
    expect(found(bench, walk)).toEqual(all);
    expect(found(bench, { ...walk, reversed: true })).toEqual(all.toReversed());
    const part = { low: idOf(5), high: idOf(1200) };
    expect(found(bench, { ...walk, ...part })).toEqual(all.slice(4, 1199));
    expect(found(bench, { ...walk, ...part, reversed: true })).toEqual(all.slice(4, 1199).toReversed());
  });

  it('of a scan exclude what the prefilter rejects', () => {
    const bench = filled();
    expect(found(bench, { kind: 'scan' })).toHaveLength(COUNT);
    const filter = { kind: 'field', path: 'n', tests: [{ kind: 'gt', value: 1230 }] } as const;
    expect(found(bench, { kind: 'scan' }, filter)).toEqual([1230, 1231, 1232, 1233, 1234]);
  });

  it('of a scan take one step per document, whatever was removed', () => {
    const bench = openTestDatabase();
    bench.fill([{ n: 0, text: 'x'.repeat(400_000) }]);
    const far = 9_000_000_000;
    bench.connection.db.exec(
      `update d_1 set doc = ${far}; insert into d_1 (id, json) select 'b', json from d_1`,
    );
    bench.connection.db.exec(`insert into d_1 (doc, id, json) select 5, 'c', json from d_1 limit 1`);
    let steps = 0;
    const workLimit = {
      tick() {
        steps += 1;
      },
    };
    const entry = bench.catalogue.get(NS)!;
    const search = {
      connection: bench.connection,
      entry,
      workLimit,
      filter: MATCH_ALL,
    };
    expect([...findCandidates(search, { kind: 'scan' })].map(([doc]) => doc)).toEqual([5, far, far + 1]);
    expect(steps).toBeLessThan(10);
  });

  it('by id come in the order of the list, without missing ones', () => {
    expect(found(filled(), { kind: 'ids', ids: [idOf(7), idOf(9999), idOf(3)] })).toEqual([7, 3]);
    expect(found(filled(), { kind: 'ids', ids: [] })).toEqual([]);
  });

  it('of indexes contain no document twice', () => {
    const bench = filled();
    const index = bench.catalogue.get(NS)!.indexes[0]!;
    const access: IndexAccess = {
      kind: 'index',
      index,
      ranges: [FULL_RANGE],
      reversed: false,
      mayRepeat: true,
    };
    expect(found(bench, access)).toHaveLength(COUNT);
    expect(found(bench, { ...access, reversed: true })[0]).toBe(COUNT);
    expect(found(bench, { kind: 'union', branches: [access, access] })).toHaveLength(COUNT);
    expect(found(bench, { ...access, mayRepeat: false }).length).toBe(COUNT + COUNT / 2);
  });
});

const ENTRY = {
  n: 1,
  ns: { database: null, collection: 'a' },
  documents: 5,
  bytes: 1,
  largest: 1,
  writes: 3,
  indexes: [],
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
