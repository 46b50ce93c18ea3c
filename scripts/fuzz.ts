// `npm run fuzz -- --minutes 30`: the differential tests again and again, each round from another seed, until the time is up or one
// fails. Every seed is printed, with the command that repeats it.
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const TESTS = [
  'test/stores/differential',
  'test/stores/references-differential',
  'test/stores/invalid-text-differential',
  'test/access/random',
];
const MAX_SEED = 2 ** 31;

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error('--minutes takes a number above 0');

/** Runs every test once from `seed`. Returns whether all passed. */
function runRound(seed: number): boolean {
  const vitest = join(import.meta.dirname, '..', 'node_modules', 'vitest', 'vitest.mjs');
  const { status } = spawnSync(process.execPath, [vitest, 'run', '--project', 'full', ...TESTS], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, CI: 'true', CLOISTER_TEST_DIFFERENTIAL_SEED: String(seed) },
  });
  return status === 0;
}

const end = performance.now() + minutes * 60_000;
let rounds = 0;
do {
  const seed = values.seed === undefined ? randomInt(MAX_SEED) : Number(values.seed);
  rounds += 1;
  console.log(`round ${rounds}: seed ${seed}`);
  if (!runRound(seed)) {
    console.error(`round ${rounds} failed. Again: npm run fuzz -- --seed ${seed}`);
    console.error('A smaller case: CLOISTER_TEST_DIFFERENTIAL_SHRINK=true in front of it');
    process.exit(1);
  }
} while (values.seed === undefined && performance.now() < end);
console.log(`${rounds} rounds held`);
