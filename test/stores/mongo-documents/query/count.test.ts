import { randomUUID } from 'node:crypto';
import type { Document } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MATCH_ALL } from '../../../../src/stores/filter.ts';
import type { OperationScope } from '../../../../src/stores/mongo-documents/connection/types.ts';
import { createMongoCountCache } from '../../../../src/stores/mongo-documents/query/count.ts';
import { countDocuments } from '../../../../src/stores/mongo-documents/query/read-command.ts';
import { BOOKS, where } from '../../../contracts/store-cases.ts';
import { describeMongo, ownDatabase } from '../../../helpers/store/mongo-servers.ts';
import { launchServer, type OwnServer } from '../../../helpers/store/mongod.ts';
import { withDatabase } from '../../../helpers/temp/workspace.ts';
import { openConnection } from '../connections.ts';
import { foldingIndex, openReads } from './workbench.ts';

describeMongo('counting', ({ standalone }) => {
  it.each([true, false])('is exact by every strategy, with a shadow index: %s', async (shadow) => {
    const spellings = ['Ab', 'AB', 'ab', 'áb', 'abc'];
    const { count, declare } = await openReads(
      standalone,
      Array.from({ length: 1000 }, (_, n) => ({ n, name: spellings[n % 5] })),
    );
    await declare(foldingIndex('name'), shadow);
    expect(await count(BOOKS, MATCH_ALL)).toBe(1000);
    expect(await count(BOOKS, where('name', { kind: 'eq', value: 'Ab' }))).toBe(200);
    for (const round of [1, 2]) {
      const folded = await count(BOOKS, where('name', { kind: 'eq', value: 'aB', caseInsensitive: true }));
      expect([round, folded]).toEqual([round, 600]);
    }
    expect(await count(BOOKS, where('name', { kind: 'regex', pattern: '^a+b+$', flags: 'i' }))).toBe(600);
    expect(await count(BOOKS, where('n', { kind: 'lt', value: 10 }))).toBe(10);
  });

  it('ends with a timeout past the deadline', async () => {
    const { count } = await openReads(standalone, [{ n: 1 }]);
    const late = count(BOOKS, MATCH_ALL, { deadline: Date.now() - 1 });
    await expect(late).rejects.toMatchObject({ reason: 'timeout' });
  });
});

/** Counts on a server where each count seems to take `ms` milliseconds, and nobody else writes. */
async function openCounts(uri: string, ms: number) {
  const { connection } = openConnection(uri);
  const run = <T>(work: (scope: OperationScope) => Promise<T>) => connection.run({}, work);
  const insert = (...books: Document[]) => run((scope) => scope.collection(BOOKS).insertMany(books));
  await insert({ n: 1 }, { n: 2 });
  let time = 0;
  let counted = 0;
  const cache = createMongoCountCache(() => time);
  const ask = () =>
    run((scope) =>
      cache.getOrCount(scope, { ns: BOOKS, filter: MATCH_ALL }, async () => {
        time += ms;
        counted += 1;
        return countDocuments(scope, { ns: BOOKS, query: {} });
      }),
    );
  return { ask, insert, run, counted: () => counted };
}

/** Asks until nothing was written between two counts: an idle server writes a line of its own now and then. */
async function untilRemembered({ ask, counted }: Awaited<ReturnType<typeof openCounts>>, expected: number) {
  const giveUp = Date.now() + 20_000;
  for (let before = -1; before !== counted(); ) {
    if (Date.now() > giveUp) throw new Error('no count was remembered');
    before = counted();
    expect(await ask()).toBe(expected);
  }
}

describeMongo('the count cache', ({ standalone }) => {
  let server: OwnServer;
  beforeAll(async () => {
    server = await launchServer({ replicaSet: true });
  }, 60_000);
  afterAll(() => server.dispose());

  it('is valid until a write', async () => {
    const counts = await openCounts(withDatabase(server.uri, randomUUID()), 50);
    await untilRemembered(counts, 2);
    await counts.insert({ n: 3 });
    expect(await counts.ask()).toBe(3);
    await untilRemembered(counts, 3);
    await counts.run((scope) => scope.collection(BOOKS).deleteOne({ n: 1 }));
    expect(await counts.ask()).toBe(2);
  });

  it('contains no uncommitted writes', async () => {
    const counts = await openCounts(withDatabase(server.uri, randomUUID()), 50);
    await counts.run(async (scope) => {
      const session = scope.session();
      session.startTransaction();
      await scope.collection(BOOKS).insertMany([{ n: 3 }, { n: 4 }], { session });
      await untilRemembered(counts, 2);
      await session.commitTransaction();
      expect(await counts.ask()).toBe(4);
    });
  });

  it('does not store fast counts', async () => {
    const { ask, counted } = await openCounts(withDatabase(server.uri, randomUUID()), 1);
    for (const times of [1, 2, 3]) {
      expect(await ask()).toBe(2);
      expect(counted()).toBe(times);
    }
  });

  it('is not used on a standalone server', async () => {
    const { ask, counted } = await openCounts(await ownDatabase(standalone), 50);
    for (const times of [1, 2, 3]) {
      expect(await ask()).toBe(2);
      expect(counted()).toBe(times);
    }
  });
});
