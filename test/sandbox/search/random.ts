// Choices that follow from a seed alone, so that each program can be made again.

export interface Random {
  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number;
  /** True as often as `share` says, from 0 to 1. */
  chance(share: number): boolean;
  pick<T>(list: readonly T[]): T;
}

/** The generator `mulberry32`. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  // The first numbers of neighbouring seeds are alike.
  for (let skipped = 0; skipped < 8; skipped += 1) next();
  const below = (limit: number) => Math.floor(next() * limit);
  return { below, chance: (share) => next() < share, pick: (list) => list[below(list.length)] as never };
}
