// The version `v` of stored documents.
import type { JsonObject } from './json/json.ts';

/** The number of writes of a stored document; 0 if another program wrote it without `v`. */
export function documentVersion(document: JsonObject): number {
  const v = document['v'];
  return typeof v === 'number' ? v : 0;
}
