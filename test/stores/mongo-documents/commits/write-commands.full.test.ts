import { expect, test } from 'vitest';
import {
  type BatchResult,
  sendBatch,
} from '../../../../src/stores/mongo-documents/commits/write-commands.ts';
import type { Write } from '../../../../src/stores/ports.ts';
import { BOOKS, failureOf, idOf, insert } from '../../../contracts/store-cases.ts';
import { describeMongo, ownDatabase, ownServer } from '../../../helpers/store/mongo-servers.ts';
import { openWorkbench, remove, update, type Workbench } from './workbench.ts';

function send({ connection }: Workbench, writes: readonly [Write, ...Write[]]): Promise<BatchResult> {
  const [{ kind, ns }] = writes;
  return connection.run({}, (scope) => sendBatch(scope, { kind, ns, first: 0, writes }, {}));
}

describeMongo('a batch', ({ standalone }) => {
  test('stops at the first failed write and returns its position', async () => {
    const bench = openWorkbench(await ownDatabase(standalone));
    const inserted = await send(bench, [
      insert(BOOKS, 1, {}),
      insert(BOOKS, 2, {}),
      insert(BOOKS, 1, {}),
      insert(BOOKS, 3, {}),
    ]);
    expect(inserted).toMatchObject({
      done: 2,
      failure: { at: 2, error: { code: 11000, keyPattern: { _id: 1 } } },
    });
    const updated = await send(bench, [
      update(BOOKS, 1, 1, {}),
      update(BOOKS, 2, 8, {}),
      update(BOOKS, 2, 1, {}),
    ]);
    expect(updated).toMatchObject({ done: 1, failure: { at: 1, error: { reason: 'conflict' } } });
    expect((await bench.stored(BOOKS)).map(({ v }) => v)).toEqual([2, 1]);
    expect(await send(bench, [remove(BOOKS, 1, 2), remove(BOOKS, 2, 1)])).toEqual({ done: 2 });
  });

  test('continues past missing documents without naming them', async () => {
    const bench = openWorkbench(await ownDatabase(standalone));
    await bench.commit([insert(BOOKS, 1, {})]);
    const outcome = await send(bench, [update(BOOKS, 9, 1, {}), update(BOOKS, 1, 1, {})]);
    expect(outcome).toMatchObject({ done: 2, failure: { at: undefined, error: { reason: 'conflict' } } });
    expect(await bench.stored(BOOKS)).toMatchObject([{ v: 2 }]);
  });
});

describeMongo('a command with a write concern error', () => {
  test('is rejected', async () => {
    const server = await ownServer();
    const bench = openWorkbench(`${server.uri}doubt`);
    await bench.admin({
      configureFailPoint: 'failCommand',
      mode: { times: 1 },
      data: {
        failCommands: ['insert'],
        appName: 'cloister',
        writeConcernError: { code: 91, errmsg: 'going down' },
      },
    });
    await expect(send(bench, [insert(BOOKS, 1, {}), insert(BOOKS, 2, {})])).rejects.toMatchObject({
      reason: 'unavailable',
    });
    expect((await bench.stored(BOOKS)).map(({ _id }) => String(_id))).toEqual([idOf(1), idOf(2)]);
  });
});

describeMongo('a single write', (servers) => {
  for (const kind of ['standalone', 'replicaSet'] as const) {
    test(`${kind}: is rejected if the document is stale or missing`, async () => {
      const { commit, stored } = openWorkbench(await ownDatabase(servers[kind]));
      await commit([insert(BOOKS, 1, { n: 1 })]);
      for (const write of [
        update(BOOKS, 1, 2, {}),
        update(BOOKS, 9, 1, {}),
        remove(BOOKS, 1, 0),
        remove(BOOKS, 9, 1),
      ]) {
        expect(await failureOf(commit([write]))).toMatchObject({ reason: 'conflict', index: 0 });
      }
      expect(await stored(BOOKS)).toMatchObject([{ n: 1, v: 1 }]);
      await commit([update(BOOKS, 1, 1, { n: 2 })]);
      await commit([remove(BOOKS, 1, 2)]);
      expect(await stored(BOOKS)).toEqual([]);
    });

    test(`${kind}: wins exactly once among racing updates`, async () => {
      const { commit, stored } = openWorkbench(await ownDatabase(servers[kind]));
      for (let n = 0; n < 20; n += 1) {
        await commit([insert(BOOKS, n, {})]);
        const race = Array.from({ length: 6 }, (_, racer) => commit([update(BOOKS, n, 1, { racer })]));
        const results = await Promise.allSettled(race);
        const won = results.flatMap(({ status }, racer) => (status === 'fulfilled' ? [racer] : []));
        expect(won).toHaveLength(1);
        expect((await stored(BOOKS))[n]).toMatchObject({ racer: won[0], v: 2 });
      }
    });
  }
});
