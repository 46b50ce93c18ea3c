// What a caller sees of a document: its fields but the hidden ones, and the documents behind its references that it may read.
import { isJsonObject, type Json, type JsonObject } from '../../../src/lib/json/json.ts';
import { decide, mayUseField } from './decisions.ts';
import { ownValues, type ValuesAt } from './match.ts';
import {
  type Collections,
  elementsOf,
  INTERNALS,
  type ModelCaller,
  type ModelCollection,
  type ModelDocument,
  targetOf,
} from './world.ts';

/** A document that the caller may read; undefined for every other, as if it were not there. */
export function readable(
  caller: ModelCaller,
  collection: ModelCollection,
  id: string,
): ModelDocument | undefined {
  const document = collection.documents.get(id);
  const { isAddressed, allows } = decide(caller, collection, 'read');
  return document !== undefined && isAddressed && allows(document) ? document : undefined;
}

/** The document without the fields that the caller may not read. */
export function visibleFields(
  caller: ModelCaller,
  collection: ModelCollection,
  document: JsonObject,
): JsonObject {
  const members = Object.entries(document).filter(
    ([name]) => INTERNALS.has(name) || mayUseField(caller, collection, name, 'read'),
  );
  return Object.fromEntries(members);
}

interface Place {
  readonly collections: Collections;
  readonly caller: ModelCaller;
  /** The documents above, by id: a circle ends in an id. */
  readonly above: readonly string[];
}

/** The document as it is answered, with `levels` of references resolved. */
export function show(
  { collections, caller, above }: Place,
  collection: ModelCollection,
  document: JsonObject,
  levels: number,
): JsonObject {
  const visible = visibleFields(caller, collection, document);
  if (levels === 0) return visible;
  const place = { collections, caller, above: [...above, String(document['_id'])] };
  const composed: Record<string, Json> = {};
  const resolved: Record<string, Json> = {};
  for (const [name, value] of Object.entries(visible)) {
    const target = targetOf(collections, collection, name);
    if (target === undefined || elementsOf(value as Json).length === 0) continue;
    const resolve = (id: Json): Json => {
      if (typeof id !== 'string' || place.above.includes(id)) return id;
      const found = readable(caller, target, id);
      return found === undefined ? id : show(place, target, found, levels - 1);
    };
    composed[name] = value as Json;
    resolved[name] = Array.isArray(value) ? value.map((id) => resolve(id as Json)) : resolve(value as Json);
  }
  if (Object.keys(composed).length === 0) return visible;
  return { ...visible, ...resolved, composed };
}

/** The first name of a path, and what is behind it. */
function splitPath(path: string): readonly [name: string, rest: string | undefined] {
  const at = path.indexOf('.');
  return at < 0 ? [path, undefined] : [path.slice(0, at), path.slice(at + 1)];
}

/** The values of a document for the filters of a caller: those behind its references only of documents that it may read. */
export function valuesFor(
  collections: Collections,
  caller: ModelCaller,
  collection: ModelCollection,
  document: JsonObject,
): ValuesAt {
  return (path) => {
    const [name, rest] = splitPath(path);
    const target = targetOf(collections, collection, name);
    if (rest === undefined || target === undefined) return ownValues(document)(path);
    return elementsOf(document[name] as Json)
      .map((id) => readable(caller, target, String(id)))
      .filter((found) => found !== undefined)
      .flatMap((found) => valuesFor(collections, caller, target, found)(rest));
  };
}

/** Whether the caller may name this path in a filter. */
export function mayFilterBy(
  collections: Collections,
  caller: ModelCaller,
  collection: ModelCollection,
  path: string,
): boolean {
  const [name, rest] = splitPath(path);
  if (INTERNALS.has(name)) return true;
  if (!(name in collection.specification.fields) || !mayUseField(caller, collection, name, 'read'))
    return false;
  const target = targetOf(collections, collection, name);
  if (rest === undefined || target === undefined) return rest === undefined;
  return decide(caller, target, 'read').isAddressed && mayFilterBy(collections, caller, target, rest);
}

export const isSubDocument = (value: Json): value is JsonObject => isJsonObject(value);
