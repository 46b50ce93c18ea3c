// How deep composition goes, as clients and posted code ask for it.
import type { Json } from '../../lib/json.ts';
import type { Compose } from '../documents.ts';

const NUMBER = /^\d{1,9}$/;

/** The value of the parameter `compose`: `true`, `all`, or a number of levels; other text is off. */
export function parseCompose(text: string): Compose {
  if (text === 'all') return 'all';
  return NUMBER.test(text) ? Number(text) : text === 'true';
}

/** True for what posted code may give: true, false, `all`, or a whole number of levels. */
export function isCompose(value: Json): value is Compose {
  return typeof value === 'boolean' || value === 'all' || (Number.isSafeInteger(value) && Number(value) >= 0);
}
