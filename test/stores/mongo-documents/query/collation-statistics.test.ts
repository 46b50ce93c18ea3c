import { expect, it } from 'vitest';
import type { Filter } from '../../../../src/stores/filter.ts';
import { createCollationStatistics } from '../../../../src/stores/mongo-documents/query/collation-statistics.ts';
import { openMongoDocuments } from '../../../../src/stores/mongo-documents/store.ts';
import type { Sort, StoredDocument } from '../../../../src/stores/ports.ts';
import { describeMongo, ownDatabase } from '../../../helpers/mongo-servers.ts';
import { createLogLines } from '../log-lines.ts';

const BOOKS = { database: null, collection: 'books' };
const folded = (path: string, value: string): Filter => ({
  kind: 'field',
  path,
  tests: [{ kind: 'eq', value, fold: true }],
});

it('collation statistics start with the order of ids and can be revoked', () => {
  const statistics = createCollationStatistics();
  const sort: Sort = [['pages', -1]];
  expect(statistics.hasStableOrder(BOOKS, [['_id', -1]])).toBe(true);
  expect(statistics.hasStableOrder(BOOKS, sort)).toBe(false);
  statistics.recordOrder(BOOKS, sort, true);
  expect(statistics.hasStableOrder(BOOKS, [['pages', 1]])).toBe(true);
  expect(statistics.hasStableOrder({ ...BOOKS, database: 'other' }, sort)).toBe(false);
  statistics.recordOrder(BOOKS, sort, false);
  expect(statistics.hasStableOrder(BOOKS, sort)).toBe(false);
});

it('collation statistics distinguish filters and ignore very long ones', () => {
  const statistics = createCollationStatistics();
  statistics.recordManyMatches(BOOKS, folded('a', 'x'));
  expect(statistics.hasManyMatches(BOOKS, folded('a', 'x'))).toBe(true);
  expect(statistics.hasManyMatches(BOOKS, folded('a', 'y'))).toBe(false);
  statistics.recordManyMatches(BOOKS, folded('a', 'x'.repeat(5000)));
  expect(statistics.hasManyMatches(BOOKS, folded('a', 'y'.repeat(5000)))).toBe(false);
});

describeMongo('statistics of collations', ({ replicaSet }) => {
  const open = async (documents: readonly StoredDocument[]) => {
    const { log } = createLogLines();
    const uri = await ownDatabase(replicaSet);
    const options = { uri, maxPoolSize: 10, minPoolSize: 0, separateDatabases: false, queryMs: 20_000, log };
    const store = openMongoDocuments(options);
    const keys = ['kind', 'rank'].map((path) => ({ path, direction: 1, fold: true }) as const);
    const { built } = await store.ensureIndexes(BOOKS, [
      { name: 'kind', keys, unique: false, sparse: false },
    ]);
    await built;
    const insert = (document: StoredDocument) => store.commit([{ kind: 'insert', ns: BOOKS, document }]);
    await store.commit(documents.map((document) => ({ kind: 'insert', ns: BOOKS, document })));
    const ranks = async () => {
      const query = { filter: folded('kind', 'Ä'), sort: [['rank', 1]], skip: 0, limit: 10 } as const;
      return (await store.find(BOOKS, query)).map(({ rank }) => rank);
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
    const count = () => store.count(BOOKS, folded('kind', 'Ä'));
    expect(await count()).toBe(299);
    for (let n = 299; n < 302; n += 1) {
      await insert({ kind: 'Ä', _id: id(n) });
      expect(await count()).toBe(n + 1);
    }
    await store.close();
  });
});
