// Counts the members of objects in a text of JSON that are new to whoever parses it.

import { randomInt } from 'node:crypto';

/** Objects that are nested deeper are not looked at: such a text is refused. */
const MAX_DEPTH = 128;
/** Texts with fewer members are not counted: most texts. */
const MIN_MEMBERS = 1000;
/** One bit for each hash. */
const BITS = 1 << 20;

interface MemberCounter {
  count(): number;
  /** An object or list begins: with it so many are open. */
  open(depth: number): void;
  /** A name of the innermost open object: the bytes from `start` to `end`. */
  name(depth: number, start: number, end: number): void;
}

/** Nobody can make texts whose names look equal. */
const SEED = randomInt(2 ** 31);

/** Creates the counter of one text. */
export function createMemberCounter(json: Uint8Array): MemberCounter {
  /** Of each open object a hash of its names so far. */
  let hashes: Int32Array | undefined;
  let seen: Uint8Array | undefined;
  let names = 0;
  let count = 0;

  return {
    count: () => count,
    open(depth) {
      if (hashes !== undefined && depth <= MAX_DEPTH) hashes[depth] = SEED;
    },
    name(depth, start, end) {
      names += 1;
      if (depth > MAX_DEPTH || names <= MIN_MEMBERS) return;
      hashes ??= new Int32Array(MAX_DEPTH + 1).fill(SEED);
      let hash = hashes[depth] ?? 0;
      for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (json[at] ?? 0), 0x01000193);
      hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) ^ (end - start);
      hashes[depth] = hash;
      seen ??= new Uint8Array(BITS / 8);
      const bit = (hash ^ (hash >>> 12)) & (BITS - 1);
      const mask = 1 << (bit & 7);
      const byte = seen[bit >>> 3] ?? 0;
      if ((byte & mask) !== 0) return;
      seen[bit >>> 3] = byte | mask;
      count += 1;
    },
  };
}
