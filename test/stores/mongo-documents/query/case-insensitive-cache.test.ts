import { describe, expect, it } from 'vitest';
import type { Filter } from '../../../../src/stores/filter.ts';
import { translateFilter } from '../../../../src/stores/mongo-documents/filters/translate.ts';
import {
  createCollationStatistics,
  createSpellingCache,
} from '../../../../src/stores/mongo-documents/query/case-insensitive-cache.ts';
import { openMongoDocuments } from '../../../../src/stores/mongo-documents/store.ts';
import type { Sort, StoredDocument } from '../../../../src/stores/ports.ts';
import { BOOKS, query, where } from '../../../contracts/store-cases.ts';
import { describeMongo, ownDatabase } from '../../../helpers/store/mongo-servers.ts';
import { createLogLines } from '../log-lines.ts';
import { foldingIndex, openReads } from './workbench.ts';

const folded = (value: string, path = 'name'): Filter =>
  where(path, { kind: 'eq', value, caseInsensitive: true });
const ROME = { path: 'name', text: 'rome' };

describe('the spelling cache', () => {
  it('is valid until a write', () => {
    const cache = createSpellingCache();
    cache.store(BOOKS, ROME, { spellings: ['Rome'], time: 5n });
    expect(cache.resolve(BOOKS, folded('rome'))).toBeUndefined();
    cache.recordTime(5n);
    cache.recordTime(4n);
    cache.recordTime(undefined);
    expect(cache.resolve(BOOKS, folded('rome'))).toEqual({
      translated: translateFilter(where('name', { kind: 'in', values: ['Rome'] }), { collated: false }),
      time: 5n,
    });
    expect(cache.resolve({ ...BOOKS, database: 'other' }, folded('rome'))).toBeUndefined();
    expect(cache.resolve(BOOKS, folded('rom'))).toBeUndefined();
    cache.recordTime(6n);
    expect(cache.resolve(BOOKS, folded('rome'))).toBeUndefined();
  });

  it('resolves a filter only with all of its texts, and knows unresolvable ones', () => {
    const cache = createSpellingCache();
    cache.recordTime(1n);
    cache.store(BOOKS, ROME, { spellings: ['Rome'], time: 1n });
    const both: Filter = { kind: 'and', filters: [folded('rome'), folded('x', 'kind')] };
    expect(cache.resolve(BOOKS, both)).toBeUndefined();
    expect(cache.unresolvable(BOOKS, both)).toEqual({ some: false, all: false });
    cache.markUnresolvable(BOOKS, { path: 'kind', text: 'x' });
    expect(cache.unresolvable(BOOKS, both)).toEqual({ some: true, all: false });
    expect(cache.unresolvable(BOOKS, folded('x', 'kind'))).toEqual({ some: true, all: true });
  });

  it('recognizes a repeated filter without a write in between', () => {
    const cache = createSpellingCache();
    expect([1, 2].map(() => cache.isRepeated(BOOKS, folded('rome')))).toEqual([false, false]);
    cache.recordTime(1n);
    expect([1, 2].map(() => cache.isRepeated(BOOKS, folded('rome')))).toEqual([false, true]);
    cache.recordTime(2n);
    expect(cache.isRepeated(BOOKS, folded('rome'))).toBe(false);
    const long = folded('x'.repeat(5000));
    expect([1, 2].map(() => cache.isRepeated(BOOKS, long))).toEqual([false, false]);
  });
});

describeMongo('cached spellings', ({ replicaSet }) => {
  const open = async () => {
    const bench = await openReads(replicaSet, [
      { name: 'Rome', size: 1, title: 'B' },
      { name: 'ROME', size: 2, title: 'a' },
    ]);
    await bench.declare(foldingIndex('name'), true);
    const asked = query({ filter: folded('rome'), sort: [['size', 1]] });
    const sizes = async () => (await bench.find(BOOKS, asked)).map(({ size }) => size);
    return { ...bench, sizes, count: () => bench.count(BOOKS, asked.filter) };
  };

  it('make a repeated query one round trip', async () => {
    const { find, commandsOf } = await open();
    const asked = query({ filter: folded('rome'), sort: [['title', 1]] });
    const titles = async () => (await find(BOOKS, asked)).map(({ title }) => title);
    // Others write to the server too, so that it may take a few times until nobody does.
    const trips = async () => {
      for (let times = 0; times < 3; times += 1) expect(await titles()).toEqual(['B', 'a']);
      return commandsOf(async () => void (await titles()));
    };
    await expect.poll(trips).toEqual(['find']);
  });

  it('never hide a write of another program', async () => {
    const { sizes, count, books } = await open();
    const spellings = ['rome', 'rOme', 'roMe', 'romE', 'ROme', 'RoMe', 'RomE', 'rOMe', 'rOmE', 'roME'];
    for (const [at, name] of spellings.entries()) {
      for (let times = 0; times < 4; times += 1) await sizes();
      await books.insertOne({ name, size: 3 + at }, { writeConcern: { w: 'majority' } });
      expect(await sizes()).toEqual(Array.from({ length: 3 + at }, (_, n) => n + 1));
      expect(await count()).toBe(3 + at);
    }
  });
});

const SHELF = { database: null, collection: 'books' };
const foldedTitle = (path: string, value: string): Filter => ({
  kind: 'field',
  path,
  tests: [{ kind: 'eq', value, caseInsensitive: true }],
});

it('collation statistics start with the order of ids and can be revoked', () => {
  const statistics = createCollationStatistics();
  const sort: Sort = [['pages', -1]];
  expect(statistics.hasStableOrder(SHELF, [['_id', -1]])).toBe(true);
  expect(statistics.hasStableOrder(SHELF, sort)).toBe(false);
  statistics.recordOrder(SHELF, sort, true);
  expect(statistics.hasStableOrder(SHELF, [['pages', 1]])).toBe(true);
  expect(statistics.hasStableOrder({ ...SHELF, database: 'other' }, sort)).toBe(false);
  statistics.recordOrder(SHELF, sort, false);
  expect(statistics.hasStableOrder(SHELF, sort)).toBe(false);
});

it('collation statistics distinguish filters and ignore very long ones', () => {
  const statistics = createCollationStatistics();
  statistics.recordManyMatches(SHELF, foldedTitle('a', 'x'));
  expect(statistics.hasManyMatches(SHELF, foldedTitle('a', 'x'))).toBe(true);
  expect(statistics.hasManyMatches(SHELF, foldedTitle('a', 'y'))).toBe(false);
  statistics.recordManyMatches(SHELF, foldedTitle('a', 'x'.repeat(5000)));
  expect(statistics.hasManyMatches(SHELF, foldedTitle('a', 'y'.repeat(5000)))).toBe(false);
});

describeMongo('statistics of collations', ({ replicaSet }) => {
  const open = async (documents: readonly StoredDocument[]) => {
    const { log } = createLogLines();
    const uri = await ownDatabase(replicaSet);
    const options = { uri, maxPoolSize: 10, minPoolSize: 0, separateDatabases: false, queryMs: 20_000, log };
    const store = openMongoDocuments(options);
    const keys = ['kind', 'rank'].map((path) => ({ path, direction: 1, fold: true }) as const);
    const { built } = await store.ensureIndexes(SHELF, [
      { name: 'kind', keys, unique: false, sparse: false },
    ]);
    await built;
    const insert = (document: StoredDocument) => store.commit([{ kind: 'insert', ns: SHELF, document }]);
    await store.commit(documents.map((document) => ({ kind: 'insert', ns: SHELF, document })));
    const ranks = async () => {
      const query = { filter: foldedTitle('kind', 'Ä'), sort: [['rank', 1]], skip: 0, limit: 10 } as const;
      return (await store.find(SHELF, query)).map(({ rank }) => rank);
    };
    return { store, insert, ranks };
  };
  const id = (n: number) => n.toString(16).padStart(24, '0');

  it('follow changes of the data', async () => {
    const { store, insert, ranks } = await open([
      { rank: 2, kind: 'Ä', _id: id(1) },
      { rank: 1, kind: 'ä', _id: id(2) },
    ]);
    for (let times = 0; times < 3; times += 1) expect(await ranks()).toEqual([1, 2]);
    await insert({ rank: 'b', kind: 'ä', _id: id(3) });
    await insert({ rank: 'B', kind: 'Ä', _id: id(4) });
    for (let times = 0; times < 3; times += 1) expect(await ranks()).toEqual([1, 2, 'B', 'b']);
    await store.close();
  });

  it('never change a count', async () => {
    const many = Array.from({ length: 299 }, (_, n) => ({ kind: n % 2 ? 'Ä' : 'ä', _id: id(n) }));
    const { store, insert } = await open([...many, { kind: 'a', _id: id(1000) }]);
    const count = () => store.count(SHELF, foldedTitle('kind', 'Ä'));
    expect(await count()).toBe(299);
    for (let n = 299; n < 302; n += 1) {
      await insert({ kind: 'Ä', _id: id(n) });
      expect(await count()).toBe(n + 1);
    }
    await store.close();
  });
});
