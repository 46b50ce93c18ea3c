// Seeds of `Math.random`, two for each request: numbers that nobody can guess.
import { randomFillSync } from 'node:crypto';

const seeds = new Int32Array(1_024);
let usedSeeds = seeds.length;

/** A number of 32 bits. */
export function nextSeed() {
  if (usedSeeds === seeds.length) {
    randomFillSync(seeds);
    usedSeeds = 0;
  }
  usedSeeds += 1;
  return seeds[usedSeeds - 1] ?? 0;
}
