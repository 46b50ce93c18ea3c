// Keys of the index tables: JSON values as bytes that sort as MongoDB sorts the values, the rows of a document, and its key for a sort.
import type { Json } from '../../../lib/json/json.ts';
import { assertUnambiguous, isNumbered } from '../../matching/ambiguous-paths.ts';
import { EMPTY_ARRAY, expandRows, type IndexValue, type PathPart, parsePath } from '../../matching/paths.ts';
import type { Direction, IndexDefinition, Sort, StoredDocument } from '../../ports.ts';
import type { WorkLimit } from '../data-file/connection.ts';
import { StorageError } from '../data-file/storage-errors.ts';

/** First byte of each type, in MongoDB's order. The gaps leave a byte to end the range of a type. */
export const TYPE_TAG = {
  emptyArray: 0x08,
  null: 0x10,
  number: 0x20,
  string: 0x30,
  object: 0x40,
  array: 0x50,
  boolean: 0x60,
} as const;

const END = Buffer.from([0]);
const NULL = Buffer.from([TYPE_TAG.null]);
const EMPTY_ARRAY_KEY = Buffer.from([TYPE_TAG.emptyArray]);
const FALSE = Buffer.from([TYPE_TAG.boolean, 0]);
const TRUE = Buffer.from([TYPE_TAG.boolean, 1]);
const SIGN = 0x80;
/** Follows a NUL within a text. */
const ESCAPE = 0xff;

/** Key of an empty array at an indexed path: sorts below every other. */
export function emptyArrayKey(): Buffer {
  return EMPTY_ARRAY_KEY;
}

/** Encodes one value, ascending. No encoding is a prefix of another. A missing value is encoded as null. */
export function encodeValue(value: Json | undefined): Buffer {
  if (value === null || value === undefined) return NULL;
  if (typeof value === 'string') return encodeText(value, TYPE_TAG.string);
  if (typeof value === 'number') return encodeNumber(value);
  if (typeof value === 'boolean') return value ? TRUE : FALSE;
  return encodeNested(value);
}

function encodeNumber(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(9);
  bytes[0] = TYPE_TAG.number;
  bytes.writeDoubleBE(value === 0 ? 0 : value, 1);
  const negative = ((bytes[1] ?? 0) & SIGN) !== 0;
  if (negative) for (let at = 1; at < 9; at += 1) bytes[at] = ~(bytes[at] ?? 0);
  else bytes[1] = (bytes[1] ?? 0) | SIGN;
  return bytes;
}

function encodeText(text: string, tag: number): Buffer {
  // A NUL becomes 00 FF and the end is 00 00, so that no encoded text is a prefix of another.
  if (text.includes('\0')) {
    const escaped = Buffer.from(text.replaceAll('\0', '\0\u{1}'), 'utf8');
    for (let at = 1; at < escaped.length; at += 1) if (escaped[at - 1] === 0) escaped[at] = ESCAPE;
    return Buffer.concat([Buffer.from([tag]), escaped, END, END]);
  }
  const length = Buffer.byteLength(text, 'utf8');
  const bytes = Buffer.allocUnsafe(length + 3);
  bytes[0] = tag;
  bytes.write(text, 1, 'utf8');
  bytes[length + 1] = 0;
  bytes[length + 2] = 0;
  return bytes;
}

/** The text that `encodeValue` wrote into a key at `offset`. Throws `damaged` where there is none. */
export function decodeText(key: Uint8Array, offset: number, direction: Direction): string {
  const rest = Buffer.from(key.buffer, key.byteOffset + offset, key.byteLength - offset);
  const bytes = inDirection(rest, direction);
  let end = bytes.indexOf(0, 1);
  while (bytes[end + 1] === ESCAPE) end = bytes.indexOf(0, end + 2);
  const isText = bytes[0] === TYPE_TAG.string && end > 0 && bytes[end + 1] === 0;
  if (!isText) throw new StorageError('damaged', 'a key of an index has no text');
  const text = bytes.subarray(1, end);
  // UTF-8 has no such byte: each one follows a NUL.
  return (text.includes(ESCAPE) ? text.filter((byte) => byte !== ESCAPE) : text).toString('utf8');
}

function tagOf(value: Json): number {
  if (value === null) return TYPE_TAG.null;
  if (typeof value === 'object') return Array.isArray(value) ? TYPE_TAG.array : TYPE_TAG.object;
  return TYPE_TAG[typeof value as 'string' | 'number' | 'boolean'];
}

/** Objects compare member by member: type, then name, then value. The one with fewer members is smaller. */
function encodeNested(value: Exclude<Json, null | boolean | number | string>): Buffer {
  const parts: Buffer[] = [Buffer.from([tagOf(value)])];
  if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) parts.push(encodeValue(item));
  } else {
    for (const [name, member] of Object.entries(value)) {
      parts.push(encodeText(name, tagOf(member)), encodeValue(member));
    }
  }
  parts.push(END);
  return Buffer.concat(parts);
}

/** Applies the direction of a key: descending inverts the bytes. */
export function inDirection(ascending: Buffer, direction: Direction): Buffer {
  return direction === 1 ? ascending : inverted(ascending);
}

function inverted(bytes: Buffer): Buffer {
  const result = Buffer.allocUnsafe(bytes.length);
  for (let at = 0; at < bytes.length; at += 1) result[at] = ~(bytes[at] ?? 0);
  return result;
}

/** Encodes the id, which ends every key and makes it unique, in the direction of the last key. */
export function encodeId(id: string, direction: Direction): Buffer {
  return inDirection(Buffer.from(id, 'utf8'), direction);
}

/** Returns the smallest bytes above all keys that begin with `prefix`; above all keys for an empty one. */
export function prefixSuccessor(prefix: Buffer): Buffer {
  for (let at = prefix.length - 1; at >= 0; at -= 1) {
    const byte = prefix[at] ?? 0;
    if (byte === 0xff) continue;
    const result = Buffer.from(prefix.subarray(0, at + 1));
    result[at] = byte + 1;
    return result;
  }
  return Buffer.from([0xff]);
}

export interface EncodedRows {
  /** Whole keys, id included, without duplicates. */
  readonly keys: readonly Buffer[];
  /** Length of the id at the end of each key, in bytes. */
  readonly idBytes: number;
  /** One bit per key: set where the document holds an array. */
  readonly arrays: number;
}

export type RowEncoder = (document: StoredDocument, workLimit: WorkLimit) => EncodedRows;

const NO_ROWS: EncodedRows = { keys: [], idBytes: 0, arrays: 0 };

function encodeKeyValue(value: IndexValue): Buffer {
  return value === EMPTY_ARRAY ? emptyArrayKey() : encodeValue(value as Json | undefined);
}

function encodeRow(row: readonly IndexValue[], directions: readonly Direction[], tail: Buffer): Buffer {
  const pieces = directions.map((direction, at) => inDirection(encodeKeyValue(row[at]), direction));
  pieces.push(tail);
  return Buffer.concat(pieces);
}

function distinct(keys: readonly Buffer[]): readonly Buffer[] {
  if (keys.length < 2) return keys;
  const seen = new Map<string, Buffer>();
  for (const key of keys) seen.set(key.toString('latin1'), key);
  return [...seen.values()];
}

/** Creates the encoder of one index. It throws `parallel-arrays` StoreErrors. */
export function createRowEncoder(definition: IndexDefinition): RowEncoder {
  const paths = pathsOf(definition.keys.map((key) => key.path));
  const directions = definition.keys.map(({ direction }) => direction);
  const lastDirection = directions.at(-1) ?? 1;
  return (document, workLimit) => {
    const { rows: all, arrays } = expandRows(document, paths);
    // MongoDB leaves each element of a list without any of the fields out of a sparse index, not only whole documents.
    const rows = definition.sparse ? all.filter((row) => row.some((value) => value !== undefined)) : all;
    if (rows.length === 0) return NO_ROWS;
    const tail = encodeId(document._id, lastDirection);
    const keys = rows.map((row) => {
      workLimit.tick(0);
      return encodeRow(row, directions, tail);
    });
    return {
      keys: distinct(keys),
      idBytes: tail.length,
      arrays: arrays.reduce((bits, array, at) => bits | (array ? 1 << at : 0), 0),
    };
  };
}

/** Throws a `parallel-arrays` StoreError for a document that must not be written. */
export type DocumentCheck = (document: StoredDocument) => void;

/** Creates the check of documents that are written: MongoDB has no rows for those in which a path is ambiguous. */
export function createDocumentCheck({ keys }: IndexDefinition): DocumentCheck {
  const paths = pathsOf(keys.map(({ path }) => path)).filter(isNumbered);
  return (document) => assertUnambiguous(document, paths);
}

function pathsOf(paths: readonly string[]): readonly (readonly PathPart[])[] {
  return paths.map(parsePath);
}

/**
 * Creates a function that returns the sort key of a document: its smallest row in an index over `sort`.
 * It throws `parallel-arrays` StoreErrors.
 */
export function createSortKey(sort: Sort): (document: StoredDocument, workLimit: WorkLimit) => Buffer {
  const paths = pathsOf(sort.map(([path]) => path));
  const directions = sort.map(([, direction]) => direction);
  const lastDirection = directions.at(-1) ?? 1;
  if (sort.length === 0) return ({ _id }) => encodeId(_id, 1);
  return (document, workLimit) => {
    const tail = encodeId(document._id, lastDirection);
    let lowest: Buffer | undefined;
    for (const row of expandRows(document, paths).rows) {
      workLimit.tick(0);
      const key = encodeRow(row, directions, tail);
      if (lowest === undefined || Buffer.compare(key, lowest) < 0) lowest = key;
    }
    return lowest ?? tail;
  };
}
