// Transactions whose commands fail for a while, on a set of one member that is told to fail them.
import type { Document } from 'mongodb';
import { afterEach, expect, test } from 'vitest';
import { BOOKS, failureOf, insert, NEIGHBOUR } from '../../../contracts/store-cases.ts';
import { describeMongo, describeServer, rawClient } from '../../../helpers/store/mongo-servers.ts';
import { openWorkbench, update, type Workbench } from './workbench.ts';

const PAIR = [insert(BOOKS, 1, {}), insert(NEIGHBOUR, 1, {})];

const fail = (bench: Workbench, mode: Document | string, data: Document) =>
  bench.admin({ configureFailPoint: 'failCommand', mode, data: { appName: 'cloister', ...data } });

const counts = async (bench: Workbench) =>
  Promise.all([BOOKS, NEIGHBOUR].map((ns) => bench.raw(ns).countDocuments()));

describeMongo('transactions after errors', () => {
  const shared = describeServer({ replicaSet: true });

  afterEach(async () => {
    await rawClient(shared().uri).db('admin').command({ configureFailPoint: 'failCommand', mode: 'off' });
  });

  test('are retried and applied once', async () => {
    const server = shared();
    const failures: readonly [Document, Document][] = [
      [
        { times: 3 },
        { failCommands: ['insert'], errorCode: 112, errorLabels: ['TransientTransactionError'] },
      ],
      [{ times: 2 }, { failCommands: ['insert'], closeConnection: true }],
      [
        { times: 3 },
        { failCommands: ['commitTransaction'], errorCode: 251, errorLabels: ['TransientTransactionError'] },
      ],
      [{ times: 3 }, { failCommands: ['commitTransaction'], errorCode: 91 }],
      [{ times: 3 }, { failCommands: ['commitTransaction'], closeConnection: true }],
      [
        { times: 3 },
        { failCommands: ['commitTransaction'], writeConcernError: { code: 64, errmsg: 'late' } },
      ],
      // As a cluster answers when a collection is new and the writes go to several shards.
      [{ times: 1 }, { failCommands: ['insert'], errorCode: 263 }],
    ];
    for (const [at, [mode, data]] of failures.entries()) {
      const bench = openWorkbench(server.uri.replace('/?', `/again-${at}?`));
      const heard: unknown[] = [];
      bench.onCommit((changed) => heard.push(changed));
      await fail(bench, mode, data);
      await bench.commit(PAIR);
      expect(await counts(bench), JSON.stringify(data)).toEqual([1, 1]);
      expect(heard).toEqual([[BOOKS, NEIGHBOUR]]);
    }
  });

  test('are retried after unlisted errors and committed once', async () => {
    const server = shared();
    for (const failCommands of [['insert'], ['update'], ['commitTransaction']]) {
      for (const errorCode of [8, 175, 211]) {
        const bench = openWorkbench(server.uri.replace('/?', `/unlisted-${failCommands}-${errorCode}?`));
        await bench.commit([insert(BOOKS, 2, {})]);
        await fail(bench, { times: 3 }, { failCommands, errorCode });
        await bench.commit([...PAIR, update(BOOKS, 2, 1, {})]);
        expect(await counts(bench)).toEqual([2, 1]);
      }
    }
  });

  test('limit how long the commit waits for lagging members', async () => {
    const server = shared();
    const bench = openWorkbench(server.uri.replace('/?', '/waiting?'));
    await bench.commit([insert(BOOKS, 2, {}), insert(NEIGHBOUR, 2, {})]);
    await fail(bench, 'alwaysOn', {
      failCommands: ['commitTransaction'],
      blockConnection: true,
      blockTimeMS: 500,
    });
    const work = bench.commit(PAIR, { deadline: Date.now() + 15_000 });
    const stages = [{ $currentOp: {} }, { $match: { 'command.commitTransaction': 1 } }];
    const running = () => bench.admin({ aggregate: 1, pipeline: stages, cursor: {} });
    const limit = async () => (await running())['cursor'].firstBatch[0]?.command.maxTimeMS;
    await expect.poll(limit, { interval: 5 }).toBeLessThanOrEqual(15_000);
    await fail(bench, 'off', {});
    await work;
  });

  test('end at the deadline, and listeners are told of what may have been written', async () => {
    const server = shared();
    const bench = openWorkbench(server.uri.replace('/?', '/late?'));
    const heard: unknown[] = [];
    bench.onCommit((changed) => heard.push(changed));
    await fail(bench, 'alwaysOn', {
      failCommands: ['insert'],
      errorCode: 112,
      errorLabels: ['TransientTransactionError'],
    });
    const busy = await failureOf(bench.commit(PAIR, { deadline: Date.now() + 300 }));
    expect(busy.reason).toBe('timeout');
    await fail(bench, 'alwaysOn', {
      failCommands: ['commitTransaction'],
      writeConcernError: { code: 64, errmsg: 'late' },
    });
    const late = await failureOf(bench.commit(PAIR, { deadline: Date.now() + 500 }));
    expect(late.reason).toBe('timeout');
    await expect.poll(() => heard.length).toBe(2);
    await fail(bench, 'off', {});
    expect(await counts(bench)).toEqual([1, 1]);
  });
});
