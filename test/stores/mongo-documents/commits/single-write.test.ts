import { expect, test } from 'vitest';
import { BOOKS, failureOf, insert } from '../../../contracts/store-cases.ts';
import { describeMongo, ownDatabase } from '../../../helpers/mongo-servers.ts';
import { openWorkbench, remove, update } from './workbench.ts';

describeMongo('one write', (servers) => {
  for (const kind of ['standalone', 'replicaSet'] as const) {
    test(`${kind}: is refused where the state is another or the document gone`, async () => {
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

    test(`${kind}: of racing updates exactly one wins`, async () => {
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
