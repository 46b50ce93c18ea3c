// A unique index, and values that another program stored in types of its own.

import { ObjectId } from 'mongodb';
import { expect, test } from 'vitest';
import {
  assertNoNonJsonDuplicates,
  withStoredDates,
} from '../../../../src/stores/mongo-documents/commits/non-json-writes.ts';
import type { KnownIndex } from '../../../../src/stores/mongo-documents/connection/types.ts';
import { createTypeProbe } from '../../../../src/stores/mongo-documents/query/type-probe.ts';
import { BOOKS, idOf, index, insert, NEIGHBOUR } from '../../../contracts/store-cases.ts';
import { describeMongo, ownDatabase } from '../../../helpers/store/mongo-servers.ts';
import { openWorkbench, update } from './workbench.ts';

const HEX = '65a1b2c3d4e5f60718293a4b';
const ISO = '2024-01-02T03:04:05.678Z';
const LATER = '2025-01-02T03:04:05.678Z';

const unique = (name: string, ...paths: string[]): KnownIndex => {
  const definition = {
    ...index(name, Object.fromEntries(paths.map((path) => [path, 1 as const]))),
    unique: true,
  };
  return { definition, name, endsInId: false, isUnique: true };
};

describeMongo('unique values of non-JSON types', (servers) => {
  test.each(Object.entries(servers))('%s: reject a duplicate of any type', async (_, uri) => {
    const indexes = [unique('at', 'at'), unique('by', 'author', 'n')];
    const bench = openWorkbench(await ownDatabase(uri), { indexes });
    const books = bench.raw(BOOKS);
    await books.createIndex({ at: 1 }, { unique: true, sparse: true });
    await books.insertMany([{ at: new Date(ISO), author: new ObjectId(HEX), n: 1 }, { at: LATER }]);
    await bench.commit([insert(BOOKS, 1, { at: '2020-01-01T00:00:00.000Z' })]);
    const duplicate = (fields: string[]) => expect.objectContaining({ reason: 'duplicate', fields });
    for (const at of [ISO, LATER]) {
      await expect(bench.commit([insert(BOOKS, 2, { at })])).rejects.toEqual(duplicate(['at']));
      await expect(bench.commit([update(BOOKS, 1, 1, { at })])).rejects.toEqual(duplicate(['at']));
    }
    const same = { at: '2021-01-01T00:00:00.000Z', author: HEX, n: 1 };
    await expect(bench.commit([insert(BOOKS, 2, same)])).rejects.toEqual(duplicate(['author', 'n']));
    await bench.commit([insert(BOOKS, 2, { ...same, n: 2 })]);
    expect(await books.countDocuments()).toBe(4);
    await bench.commit([update(BOOKS, 1, 1, { at: '2020-01-01T00:00:00.000Z' })]);
  });

  test('cause no query where the collection has none', async () => {
    const bench = openWorkbench(await ownDatabase(servers.standalone));
    const typeProbe = createTypeProbe(() => performance.now());
    const knowledge = { indexes: { of: () => [unique('at', 'at')] }, typeProbe };
    const writes = [insert(BOOKS, 1, { at: ISO }), insert(BOOKS, 2, { at: [ISO] }), insert(BOOKS, 3, {})];
    await bench.connection.run({}, (scope) => assertNoNonJsonDuplicates(scope, writes, knowledge));
    expect(idOf(1)).toHaveLength(24);
  });
});

const ISO_DATE = '2024-01-02T03:04:05.678Z';
const DATE = new Date(ISO_DATE);

describeMongo('stored dates', (servers) => {
  test.each(Object.entries(servers))(
    '%s: are BSON dates where the collection has some, else text',
    async (_, uri) => {
      const bench = openWorkbench(await ownDatabase(uri));
      await bench.raw(BOOKS).insertOne({ at: new Date(0), in: { at: new Date(0) }, list: [new Date(0)] });
      const fields = {
        at: ISO_DATE,
        other: ISO_DATE,
        title: `${ISO_DATE} and more`,
        in: { at: ISO_DATE, to: null },
        list: [ISO_DATE, 1],
      };
      await bench.commit([insert(BOOKS, 1, fields), insert(NEIGHBOUR, 1, fields)]);
      await bench.commit([update(BOOKS, 1, 1, { at: ISO_DATE, other: ISO_DATE })]);
      const [stored] = await bench.stored(BOOKS);
      expect(stored).toMatchObject({ ...fields, at: DATE, in: { at: DATE }, list: [DATE, 1], v: 2 });
      expect((await bench.stored(NEIGHBOUR))[0]).toMatchObject(fields);
    },
  );

  test('leave writes without dates and collections without BSON dates unchanged', async () => {
    const bench = openWorkbench(await ownDatabase(servers.standalone));
    const typeProbe = createTypeProbe(() => performance.now());
    for (const writes of [[insert(BOOKS, 1, { a: 'text' })], [insert(BOOKS, 1, { at: ISO_DATE })]]) {
      expect(await bench.connection.run({}, (scope) => withStoredDates(scope, writes, typeProbe))).toBe(
        writes,
      );
    }
  });
});
