// Runs classes of attacks against one application, some side by side, and asserts what the server promises meanwhile.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOOK_RESULT_LIMITS } from '../../../src/hooks/hook-result.ts';
import { type Arena, startArena } from './arena.ts';
import type { Attack } from './attack.ts';
import { attacksOf } from './corpus.ts';
import { fight, prepare } from './fight.ts';

/** The longest that the server may work in one piece while attacks run, in milliseconds of processor time. */
const LONGEST_WORK_MS = 100;
const MEMORY_BYTES = 300 * 1024 * 1024;
/** What posted modules, their logs and caches may hold when all is over. */
const LEFT_BYTES = 64 * 1024 * 1024;
/** Sixty megabytes of bodies at a time, as their sender has them, as they are received, and as text of two bytes a character. */
const BODIES_BYTES = 512 * 1024 * 1024;
const PATIENCE_MS = 60_000;
/** Attacks at the same time: with more, the neighbour would measure the machine. */
const SIDE_BY_SIDE = 2;

/** Lets so many run at a time; the others wait in order. */
function createSlots(count: number): <T>(run: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = count;
  return async (run) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

const MODULES = [
  'assert',
  'buffer',
  'events',
  'path',
  'punycode',
  'querystring',
  'string_decoder',
  'url',
  'util',
];
/** On the first line, so that the author's lines stay what they are. */
const LOADING = MODULES.map((name) => `require('${name}');`).join(' ');

/** One test for each attack of these classes in each of its isolations. */
export const runClasses = (...classes: readonly string[]): Promise<void> =>
  runAttacks(classes, (attack) => attack);

/** The same, once the code has loaded every module that can be required. */
export const runClassesWithModules = (...classes: readonly string[]): Promise<void> =>
  runAttacks(classes, (attack) => ({ ...attack, source: `${LOADING} ${attack.source}` }));

async function runAttacks(classes: readonly string[], change: (attack: Attack) => Attack): Promise<void> {
  const found = (await Promise.all(classes.map(attacksOf))).flat();
  const filed = found.map(({ name, attack }) => ({ name, attack: change(attack) }));
  const inSlot = createSlots(SIDE_BY_SIDE);
  let arena: Arena;
  beforeAll(async () => {
    arena = await startArena();
  });
  afterAll(() => arena?.close());

  const bouts = filed.flatMap(({ name, attack }) =>
    (attack.isolations ?? [undefined]).map((isolation) => ({
      endpoint: isolation === undefined ? name : `${name}-${isolation}`,
      bout: { attack, isolation },
    })),
  );
  describe.concurrent('ends as it should, and its neighbour never knows', () => {
    // By a loop: the titles of `it.each` are cut after forty characters.
    for (const { endpoint, bout } of bouts) {
      it(endpoint, { timeout: PATIENCE_MS }, async () => {
        const { attack } = bout;
        // A warm-up takes seconds and is no attack: it need not wait for a slot.
        const warm = attack.warmUp && (await prepare(arena, endpoint, bout));
        const fought = await inSlot(async () => {
          const prepared = warm ?? (await prepare(arena, endpoint, bout));
          return fight(arena, endpoint, { attack, prepared });
        });
        expect(fought).toEqual([]);
      });
    }
  });

  it('left a server that worked in small pieces and within its memory', async () => {
    // Whoever sends large bodies all at once works as much, in this very process: `test/security/hostile-bodies.alone.test.ts` has the server alone.
    const hasBodies = classes.includes('bodies');
    if (!hasBodies) expect(arena.watch.longestWork()).toBeLessThan(LONGEST_WORK_MS);
    const forBodies = hasBodies ? BODIES_BYTES : 0;
    const forResults = classes.includes('results') ? HOOK_RESULT_LIMITS.server : 0;
    expect(arena.watch.grown()).toBeLessThan(MEMORY_BYTES + forResults + forBodies);
    expect(await arena.watch.left()).toBeLessThan(LEFT_BYTES);
    expect(arena.origins.reached()).toBe(0);
  });
}
