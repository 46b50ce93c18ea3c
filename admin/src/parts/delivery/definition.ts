// Routes and recipes: JSON documents that have a name, and what the views of both kinds have in common.
import type { Json, JsonObject } from '../../api/types.ts';

export type DefinitionNoun = 'route' | 'recipe';

export interface NamedDefinition {
  readonly name: string;
  /** Without its name. */
  readonly document: JsonObject;
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** One entry of the list of the server. */
export function readDefinition(noun: DefinitionNoun, source: JsonObject): NamedDefinition {
  const { [noun]: name, ...document } = source;
  return { name: String(name), document };
}

/** A document with another value of one member; undefined takes the member away. */
export function withMember(document: JsonObject, name: string, value: Json | undefined): JsonObject {
  const { [name]: _before, ...others } = document;
  if (value === undefined) return others;
  // A member that is there keeps its place.
  return Object.hasOwn(document, name) ? { ...document, [name]: value } : { ...others, [name]: value };
}

export const isSameDocument = (a: JsonObject | null, b: JsonObject | null): boolean =>
  JSON.stringify(a) === JSON.stringify(b);
