// The number of writes that every stored document carries in `v`.
import type { JsonObject } from './json/json.ts';

/** The number of writes that a stored document has seen; one written by others may not say, and counts as 0. */
export function documentVersion(document: JsonObject): number {
  const v = document['v'];
  return typeof v === 'number' ? v : 0;
}
