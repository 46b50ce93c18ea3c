// Whether the processes use the cache that they share, where it takes some commands and not others.
import { expect, it, onTestFinished } from 'vitest';
import { CacheReach } from '../../src/deployment/cache-reach.ts';
import { FIRST, openDatabase } from './members.ts';

it('stays unused while it takes marks but counts nothing, with one line in the log', async () => {
  const { member } = await (await openDatabase()).join(FIRST);
  const logged: string[] = [];
  const line = (_fields: object, message: string) => void logged.push(message);
  let canCount = false;
  let asked = 0;
  const reach = new CacheReach({
    marks: { replace: async () => true },
    counts: {
      async take(limits) {
        asked += 1;
        return canCount ? { granted: 0, windows: limits.map(() => WINDOW) } : undefined;
      },
    },
    member,
    log: { info: line, warn: line },
  });
  onTestFinished(() => reach.close());
  expect(reach.isAway()).toBe(false);
  await reach.leave();
  await expect.poll(() => asked, { timeout: 30_000 }).toBe(2);
  expect([reach.isAway(), reach.hasLeft(), logged.length]).toEqual([true, true, 1]);
  canCount = true;
  await expect.poll(() => logged, { timeout: 30_000 }).toHaveLength(2);
  expect([reach.isAway(), logged[1]]).toEqual([false, 'the shared cache is used again']);
});

const WINDOW = { window: 'w', used: 0, held: 0, endsInMs: 1 };
