// How deep to go: not at all, as usual, so many levels, or all of them.
import type { Json } from './json.ts';

export type Levels = boolean | 'all' | number;

const NUMBER = /^\d{1,9}$/;

/** Reads `true`, `all`, or a number of levels; any other text is off. */
export function parseLevels(text: string): Levels {
  if (text === 'all') return 'all';
  return NUMBER.test(text) ? Number(text) : text === 'true';
}

/** True for a boolean, `all`, or a whole number of levels. */
export function isLevels(value: Json): value is Levels {
  return typeof value === 'boolean' || value === 'all' || (Number.isSafeInteger(value) && Number(value) >= 0);
}
