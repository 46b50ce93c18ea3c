// Single inserts that come together, on real servers that reject some of them or fail the whole command.
import type { Document } from 'mongodb';
import { afterEach, describe, expect, test } from 'vitest';
import { StoreError } from '../../../../src/errors/errors.ts';
import type { Write } from '../../../../src/stores/ports.ts';
import { BOOKS, idOf, insert, NEIGHBOUR } from '../../../contracts/store-cases.ts';
import {
  describeMongo,
  describeServer,
  ownDatabase,
  rawClient,
} from '../../../helpers/store/mongo-servers.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

const FIVE = [1, 2, 3, 4, 5];

/** Commits each write by itself, all in one turn. */
async function commitEach({ commit }: Workbench, writes: readonly Write[], options = {}) {
  const results = await Promise.allSettled(writes.map((write) => commit([write], options)));
  return results.map((result) => (result.status === 'fulfilled' ? 'written' : result.reason));
}

const reasons = (results: readonly unknown[]) =>
  results.map((result) => (result instanceof StoreError ? result.reason : result));

const storedIds = async (bench: Workbench) => (await bench.stored(BOOKS)).map(({ _id }) => String(_id));

describeMongo('single inserts of one turn', (servers) => {
  for (const kind of ['standalone', 'replicaSet'] as const) {
    test(`${kind}: each is rejected or written by itself`, async () => {
      const bench = openWorkbench(await ownDatabase(servers[kind]));
      await bench.commit([insert(BOOKS, 3, { isbn: 3 })]);
      await bench.raw(BOOKS).createIndex({ isbn: 1 }, { unique: true });
      const heard: unknown[] = [];
      bench.onCommit((changed) => heard.push(changed));
      const isbns = [1, 2, 9, 2, 3];
      const results = await commitEach(
        bench,
        FIVE.map((n) => insert(BOOKS, n, { isbn: isbns[n - 1] as number })),
      );
      expect(results[0]).toBe('written');
      expect(results[2]).toMatchObject({ reason: 'duplicate', index: 0, fields: ['_id'] });
      expect(results[4]).toMatchObject({ reason: 'duplicate', index: 0, fields: ['isbn'] });
      expect(reasons([results[1], results[3]]).toSorted()).toEqual(['duplicate', 'written']);
      expect(heard).toHaveLength(2);
      expect((await bench.stored(BOOKS)).map(({ isbn }) => isbn).toSorted()).toEqual([1, 2, 3]);
    });

    test(`${kind}: a document that is no BSON leaves the others alone`, async () => {
      const bench = openWorkbench(await ownDatabase(servers[kind]));
      const odd = insert(BOOKS, 2, { 'a\0b': 1 });
      const results = await commitEach(bench, [insert(BOOKS, 1, {}), odd, insert(BOOKS, 3, {})]);
      expect(reasons(results)).toEqual(['written', expect.not.stringMatching('written'), 'written']);
      expect(await storedIds(bench)).toEqual([idOf(1), idOf(3)]);
    });
  }
});

describeMongo('the command of single inserts', () => {
  const shared = describeServer({ replicaSet: true });
  const fail = (bench: Workbench, mode: Document, data: Document) =>
    bench.admin({
      configureFailPoint: 'failCommand',
      mode,
      data: { failCommands: ['insert'], appName: 'cloister', ...data },
    });
  const open = (name: string) => openWorkbench(shared().uri.replace('/?', `/${name}?`));
  const writes = FIVE.map((n) => insert(BOOKS, n, {}));

  afterEach(async () => {
    await rawClient(shared().uri).db('admin').command({ configureFailPoint: 'failCommand', mode: 'off' });
  });

  test('is one for each collection', async () => {
    const bench = open('together');
    await bench.commit([insert(BOOKS, 9, {})]);
    await bench.commit([insert(NEIGHBOUR, 9, {})]);
    const commands = async () => (await bench.admin({ serverStatus: 1 }))['metrics'].commands.insert.total;
    const before = await commands();
    const results = await commitEach(bench, [...writes, insert(NEIGHBOUR, 1, {}), insert(NEIGHBOUR, 2, {})]);
    expect(results).toEqual(Array(7).fill('written'));
    expect((await commands()) - before).toBe(2);
  });

  test('has one time limit: an insert with another deadline is not in it', async () => {
    const bench = open('deadlines');
    await bench.commit([insert(BOOKS, 9, {})]);
    const commands = async () => (await bench.admin({ serverStatus: 1 }))['metrics'].commands.insert.total;
    const before = await commands();
    const now = Date.now();
    await Promise.all(
      writes.map((write, at) => bench.commit([write], { deadline: now + (at === 0 ? 9000 : 15_000) })),
    );
    expect((await commands()) - before).toBe(2);
  });

  test('is repeated as single ones after an error that says that nothing was applied', async () => {
    const bench = open('unapplied');
    await bench.commit([insert(BOOKS, 9, {})]);
    await fail(bench, { times: 2 }, { errorCode: 112 });
    expect(await commitEach(bench, writes)).toEqual(Array(5).fill('written'));
  });

  test('is retried by the driver after a lost connection', async () => {
    const bench = open('lost');
    await bench.commit([insert(BOOKS, 9, {})]);
    await fail(bench, { times: 1 }, { closeConnection: true });
    expect(await commitEach(bench, writes)).toEqual(Array(5).fill('written'));
    expect(await storedIds(bench)).toHaveLength(6);
  });

  describe('fails for all', () => {
    test.each([
      ['unavailable', { closeConnection: true }],
      ['unavailable', { errorCode: 11_600 }],
      ['failed', { errorCode: 8 }],
      ['timeout', { writeConcernError: { code: 64, errmsg: 'late' } }],
      ['unavailable', { writeConcernError: { code: 91, errmsg: 'stopping' } }],
    ])('with `%s` after %j, and listeners hear of each', async (reason, data) => {
      const bench = open(`all-${Object.keys(data)[0]}-${reason}`);
      await bench.commit([insert(BOOKS, 9, {})]);
      const heard: unknown[] = [];
      bench.onCommit((changed) => heard.push(changed));
      await fail(bench, { times: 2 }, data);
      expect(reasons(await commitEach(bench, writes))).toEqual(Array(5).fill(reason));
      expect(heard).toHaveLength(5);
    });
  });
});
