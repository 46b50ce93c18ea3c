// What becomes of commits when the member of a replica set that takes the writes is killed.
import { expect, onTestFinished, test } from 'vitest';
import type { StoreError } from '../../../../src/errors.ts';
import { BOOKS, insert, NEIGHBOUR } from '../../../contracts/cases.ts';
import { describeMongo } from '../../../helpers/mongo-servers.ts';
import { launchReplicaSet } from '../../../helpers/mongod.ts';
import { openWorkbench } from './workbench.ts';

describeMongo('commits while the primary is killed', () => {
  test('none is applied in part, and none that was acknowledged is lost', async () => {
    const set = await launchReplicaSet();
    onTestFinished(() => set.dispose());
    const bench = openWorkbench(set.uri.replace('/?', '/failover?'));
    const acknowledged: number[] = [];
    const reasons = new Set<string>();
    let isOver = false;
    const write = async (writer: number) => {
      for (let n = writer; !isOver; n += 8) {
        try {
          await bench.commit([insert(BOOKS, n, {}), insert(NEIGHBOUR, n, {})]);
          acknowledged.push(n);
        } catch (error) {
          reasons.add((error as StoreError).reason);
        }
      }
    };
    const writers = Array.from({ length: 8 }, (_, writer) => write(writer));
    await expect.poll(() => acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(200);
    await set.killPrimary();
    const before = acknowledged.length;
    // Those that were answered while it died do not count.
    await expect.poll(() => acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(before + 100);
    isOver = true;
    await Promise.all(writers);
    const [books, neighbours] = await Promise.all(
      [BOOKS, NEIGHBOUR].map(async (ns) =>
        (await bench.stored(ns)).map(({ _id }) => Number.parseInt(String(_id), 16)),
      ),
    );
    expect(books).toEqual(neighbours);
    const there = new Set(books);
    expect(acknowledged.filter((n) => !there.has(n))).toEqual([]);
    expect([...reasons].filter((reason) => reason !== 'unavailable' && reason !== 'timeout')).toEqual([]);
  }, 240_000);
});
