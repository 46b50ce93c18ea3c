// Parts of JSON Schemas (2020-12, the dialect of OpenAPI 3.1), for the API description.

import type { JsonObject } from './json.ts';

/** A reference to a component of the API description. */
export const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

/** An object with these members, all of them there but those in `optional`. */
export function objectOf(properties: JsonObject, optional: readonly string[] = []): JsonObject {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', ...(required.length > 0 ? { required } : {}), properties };
}

/** A list. */
export const listOf = (items: JsonObject): JsonObject => ({ type: 'array', items });
