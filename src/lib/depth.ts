// The depth of a composition: off, the default, a number of levels, or all of them.
import type { Json } from './json/json.ts';

export type Depth = boolean | 'all' | number;

const NUMBER = /^\d{1,9}$/;

/** Reads `true`, `all`, or a number of levels; any other text is off. */
export function parseDepth(text: string): Depth {
  if (text === 'all') return 'all';
  return NUMBER.test(text) ? Number(text) : text === 'true';
}

/** True for a boolean, `all`, or a whole number of levels. */
export function isDepth(value: Json): value is Depth {
  return typeof value === 'boolean' || value === 'all' || (Number.isSafeInteger(value) && Number(value) >= 0);
}
