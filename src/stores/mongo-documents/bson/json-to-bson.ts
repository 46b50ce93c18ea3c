// Converts JSON to what the driver stores: the same values, except ids, which become ObjectIds.
import { type Document, ObjectId } from 'mongodb';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import type { StoredDocument } from '../../ports.ts';

const OBJECT_ID = /^[0-9a-f]{24}$/;

/** The driver takes an object with a member of this name for one of its own classes. */
export const BSON_TYPE_MARKER = '_bsontype';

/** True for the text of an ObjectId, as ids in our own data are. */
export function isObjectIdText(text: string): boolean {
  return text.length === 24 && OBJECT_ID.test(text);
}

/** An id as the database has it. */
export function toBsonId(id: string): ObjectId | string {
  return isObjectIdText(id) ? ObjectId.createFromHexString(id) : id;
}

/** A document as the driver stores it, `_id` first. Nothing of `document` is changed. */
export function toBson(document: StoredDocument): Document {
  const { _id, ...fields } = document;
  const id = toBsonId(_id);
  if (Object.hasOwn(fields, BSON_TYPE_MARKER))
    return new Map<string, unknown>([['_id', id], ...membersToBson(fields)]);
  const target: Record<string, unknown> = { _id: id };
  for (const name of Object.keys(fields)) setMember(target, name, toBsonValue(fields[name] as Json));
  return target;
}

/** A value as the driver stores it: the same one where nothing in it needs care. A zero is never negative. */
export function toBsonValue(value: Json): unknown {
  if (typeof value === 'number') return value === 0 ? 0 : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return arrayToBson(value as readonly Json[]);
  return objectToBson(value as JsonObject);
}

function arrayToBson(values: readonly Json[]): unknown {
  let changed: unknown[] | undefined;
  for (const [at, value] of values.entries()) {
    const made = toBsonValue(value);
    if (Object.is(made, value)) continue;
    changed ??= [...values];
    changed[at] = made;
  }
  return changed ?? values;
}

function objectToBson(object: JsonObject): unknown {
  if (Object.hasOwn(object, BSON_TYPE_MARKER)) return new Map(membersToBson(object));
  let changed: Record<string, unknown> | undefined;
  for (const name of Object.keys(object)) {
    const value = object[name] as Json;
    const made = toBsonValue(value);
    if (Object.is(made, value)) continue;
    changed ??= { ...object };
    setMember(changed, name, made);
  }
  return changed ?? object;
}

function membersToBson(object: JsonObject): [string, unknown][] {
  return Object.keys(object).map((name) => [name, toBsonValue(object[name] as Json)]);
}

/** Plain assignment to `__proto__` would replace the prototype. */
function setMember(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
