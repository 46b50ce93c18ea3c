import { BSON } from 'mongodb';
import { expect, it } from 'vitest';
import { countDocuments, forEachDocument } from '../../../../src/stores/mongo-documents/query/cursor.ts';
import { BOOKS } from '../../../contracts/store-cases.ts';
import { describeMongo } from '../../../helpers/mongo-servers.ts';
import { openReads } from './workbench.ts';

describeMongo('documents of a query', ({ standalone }) => {
  const open = () =>
    openReads(
      standalone,
      Array.from({ length: 2500 }, (_, n) => ({ n, text: n % 2 ? 'a' : 'A' })),
    );

  it('arrive in order until the consumer stops', async () => {
    const { run } = await open();
    const seen: unknown[] = [];
    const ask = { ns: BOOKS, query: {}, sort: new Map([['n', 1 as const]]), fields: { n: 1 } };
    await run((scope) =>
      forEachDocument(scope, ask, (bytes) => seen.push(BSON.deserialize(bytes)['n']) < 1200),
    );
    expect(seen).toEqual(Array.from({ length: 1200 }, (_, n) => n));
  });

  it('are skipped and limited', async () => {
    const { run } = await open();
    const seen: unknown[] = [];
    const ask = { ns: BOOKS, query: {}, sort: new Map([['n', 1 as const]]), skip: 5, limit: 2 };
    await run((scope) => forEachDocument(scope, ask, (bytes) => seen.push(BSON.deserialize(bytes)['n']) > 0));
    expect(seen).toEqual([5, 6]);
  });

  it('are counted exactly, also with a default collation', async () => {
    const { run, books } = await open();
    const other = { ...BOOKS, collection: 'french' };
    await run((scope) =>
      scope.client.db(books.dbName).createCollection('french', { collation: { locale: 'fr', strength: 1 } }),
    );
    await run((scope) => scope.collection(other).insertMany([{ text: 'a' }, { text: 'A' }, { text: 'á' }]));
    expect(await run((scope) => countDocuments(scope, { ns: other, query: { text: 'a' } }))).toBe(1);
    expect(await run((scope) => countDocuments(scope, { ns: BOOKS, query: { text: 'a' } }))).toBe(1250);
    expect(await run((scope) => countDocuments(scope, { ns: BOOKS, query: {} }))).toBe(2500);
    expect(await run((scope) => countDocuments(scope, { ns: BOOKS, query: { text: 'a' }, limit: 7 }))).toBe(
      7,
    );
  });
});
