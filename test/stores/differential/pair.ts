// An object of one member, as generated filters are built of.
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';

export function pair([key, value]: readonly [string, Json]): JsonObject {
  return { [key]: value };
}
