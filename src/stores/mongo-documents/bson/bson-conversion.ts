// Converts documents: JSON values to what the driver stores, which are the same but for ids, and the bytes of BSON documents to
// JSON text, without creating objects first.
import { type Document, ObjectId } from 'mongodb';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import type { StoredDocument } from '../../ports.ts';
import { JsonOutput, writeNonJsonValue } from './json-output.ts';

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

const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;

/** Bytes of the length that a document begins with. */
const LENGTH_BYTES = 4;

/** Bytes of `_id` and its end. */
const ID_NAME_BYTES = 4;

/**
 * The JSON text of a document, from the bytes that the driver hands out under `raw`. Its `_id` is the last member,
 * wherever it stands. `out`: what to write it with, so that many documents share one buffer.
 */
export function bsonToJson(bytes: Uint8Array, out = new JsonOutput(2 * bytes.length)): string {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const id = writeMembers(out, source, LENGTH_BYTES, true);
  if (id !== 0) {
    if (out.length > 1) out.byte(COMMA);
    out.ascii('"_id":');
    writeValue(out, source, source[id] as number, id + 1 + ID_NAME_BYTES);
  }
  out.byte(CLOSE_OBJECT);
  return out.take();
}

/** The document as JSON objects, from the bytes that the driver hands out under `raw`. */
export function parseBson(bytes: Uint8Array): StoredDocument {
  return JSON.parse(bsonToJson(bytes)) as StoredDocument;
}

/** Writes an object up to its closing brace. At the top level it omits `_id` and returns where that is; 0 if there is none. */
function writeMembers(out: JsonOutput, source: Buffer, at: number, top: boolean): number {
  let element = at;
  let id = 0;
  let first = true;
  out.byte(OPEN_OBJECT);
  for (let type = source[element] as number; type !== 0; type = source[element] as number) {
    const name = element + 1;
    const end = endOfName(source, name);
    if (top && isId(source, name)) {
      id = element;
      element = end + 1 + sizeOfValue(source, type, end + 1);
      continue;
    }
    if (!first) out.byte(COMMA);
    first = false;
    out.utf8(source, name, end);
    out.byte(COLON);
    element = writeValue(out, source, type, end + 1);
  }
  return id;
}

function writeElements(out: JsonOutput, source: Buffer, at: number): void {
  let element = at;
  let first = true;
  out.byte(OPEN_ARRAY);
  for (let type = source[element] as number; type !== 0; type = source[element] as number) {
    if (!first) out.byte(COMMA);
    first = false;
    element = writeValue(out, source, type, endOfName(source, element + 1) + 1);
  }
  out.byte(CLOSE_ARRAY);
}

/** Whether the name is `_id`. */
function isId(source: Buffer, name: number): boolean {
  return (
    source[name] === 0x5f && source[name + 1] === 0x69 && source[name + 2] === 0x64 && source[name + 3] === 0
  );
}

function endOfName(source: Buffer, at: number): number {
  let end = at;
  while (source[end] !== 0) end += 1;
  return end;
}

/** Writes the value of `type` that begins at `at`, and returns where it ends. */
function writeValue(out: JsonOutput, source: Buffer, type: number, at: number): number {
  switch (type) {
    case 0x01:
      writeNumber(out, source.readDoubleLE(at));
      return at + 8;
    case 0x02: {
      const length = source.readInt32LE(at);
      out.utf8(source, at + 4, at + 3 + length);
      return at + 4 + length;
    }
    case 0x03:
      writeMembers(out, source, at + LENGTH_BYTES, false);
      out.byte(CLOSE_OBJECT);
      return at + source.readInt32LE(at);
    case 0x04:
      writeElements(out, source, at + LENGTH_BYTES);
      return at + source.readInt32LE(at);
    case 0x07:
      out.objectId(source, at);
      return at + 12;
    case 0x08:
      out.ascii(source[at] === 1 ? 'true' : 'false');
      return at + 1;
    case 0x0a:
      out.ascii('null');
      return at;
    case 0x10:
      out.ascii(String(source.readInt32LE(at)));
      return at + 4;
    default:
      writeNonJsonValue(out, source, type, at);
      return at + sizeOfValue(source, type, at);
  }
}

/** What is no number in JSON is null, and no zero is negative. */
function writeNumber(out: JsonOutput, value: number): void {
  out.ascii(Number.isFinite(value) ? String(value) : 'null');
}

/** How many bytes a value takes. */
function sizeOfValue(source: Buffer, type: number, at: number): number {
  switch (type) {
    case 0x02:
    case 0x0d:
    case 0x0e:
      return 4 + source.readInt32LE(at);
    case 0x03:
    case 0x04:
    case 0x0f:
      return source.readInt32LE(at);
    case 0x05:
      return 5 + source.readInt32LE(at);
    case 0x0b:
      return endOfName(source, endOfName(source, at) + 1) + 1 - at;
    case 0x0c:
      return 16 + source.readInt32LE(at);
    default:
      return FIXED_SIZES[type] ?? 0;
  }
}

const FIXED_SIZES: Readonly<Record<number, number>> = {
  1: 8,
  7: 12,
  8: 1,
  9: 8,
  16: 4,
  17: 8,
  18: 8,
  19: 16,
};
