// Dotted paths: their parts, the rows of values that indexes and sorts use for them, and how filters follow them: into the objects
// of an array, and to the element at a numeric part.
import { StoreError } from '../../errors/errors.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';

export interface PathPart {
  readonly name: string;
  /** The array position that the part names, or -1. */
  readonly position: number;
}

export type Container = JsonObject | readonly Json[];

/** Index value of an empty array. Sorts below null. */
export const EMPTY_ARRAY: unique symbol = Symbol('empty array');

/** One value of an index row; `undefined` for a missing field. */
export type IndexValue = Json | undefined | typeof EMPTY_ARRAY;

const POSITION = /^(?:0|[1-9]\d{0,8})$/;

/** Splits a dotted path. */
export function parsePath(path: string): readonly PathPart[] {
  return path.split('.').map((name) => ({ name, position: POSITION.test(name) ? Number(name) : -1 }));
}

/** Reads a field of an object, or an element of an array by position. */
export function readField(container: Container, { name, position }: PathPart): Json | undefined {
  if (Array.isArray(container)) return position < 0 ? undefined : container[position];
  return Object.hasOwn(container, name) ? (container as JsonObject)[name] : undefined;
}

/** Returns `readField` for one part. */
export function createFieldReader(part: PathPart): (container: Container) => Json | undefined {
  const { name, position } = part;
  // Such a name may be inherited: read own fields only.
  if (position >= 0 || name in Object.prototype) return (container) => readField(container, part);
  return (container) => (Array.isArray(container) ? undefined : (container as JsonObject)[name]);
}

export interface ExpandedRows {
  /** One value per path, in their order. Rows may repeat. */
  readonly rows: readonly (readonly IndexValue[])[];
  /** For each path, whether it leads through an array. */
  readonly arrays: readonly boolean[];
}

/**
 * The rows that a compound index over `paths` keeps for a document, as MongoDB makes them: paths that walk into the
 * same array are taken element by element together. A part that names an existing position takes that element only;
 * filters also look elsewhere, so where `arrays` is true an index cannot serve a path with a numeric part.
 * Throws a `parallel-arrays` StoreError where two paths hold different arrays: an index cannot keep that.
 */
export function expandRows(document: JsonObject, paths: readonly (readonly PathPart[])[]): ExpandedRows {
  const plain = plainRow(document, paths);
  if (plain !== undefined) return { rows: [plain], arrays: paths.map(() => false) };
  const rows: IndexValue[][] = [];
  const arrays = paths.map(() => false);
  collectRows(
    paths.map((parts) => ({ parts, at: 0, from: document, value: undefined })),
    { rows, arrays },
  );
  return { rows, arrays };
}

/** Fast path: the only row of a document without arrays along the paths; undefined for other documents. */
function plainRow(document: JsonObject, paths: readonly (readonly PathPart[])[]): IndexValue[] | undefined {
  const row: IndexValue[] = [];
  for (const parts of paths) {
    let value: Json | undefined = document;
    for (const part of parts) {
      value = typeof value === 'object' && value !== null ? readField(value, part) : undefined;
      if (Array.isArray(value)) return undefined;
    }
    row.push(value);
  }
  return row;
}

/** Position on one path: `from` is the container to continue from, undefined once `value` is the result. */
interface Cursor {
  readonly parts: readonly PathPart[];
  readonly at: number;
  readonly from: Container | undefined;
  readonly value: IndexValue;
}

interface Collected {
  readonly rows: IndexValue[][];
  readonly arrays: boolean[];
}

function collectRows(cursors: readonly Cursor[], out: Collected): void {
  const moved = cursors.map(advance);
  const array = sharedArray(moved);
  if (array === undefined) {
    out.rows.push(moved.map((cursor) => cursor.value));
    return;
  }
  moved.forEach((cursor, index) => {
    if (cursor.from !== undefined) out.arrays[index] = true;
  });
  const positioned = moved.map(takePosition);
  // If no path continues into the elements, all of them have the same row.
  if (!positioned.some((cursor) => cursor.from === array)) {
    collectRows(positioned, out);
    return;
  }
  for (const element of array.length === 0 ? [undefined] : array) {
    collectRows(
      positioned.map((cursor) => (cursor.from === array ? enter(cursor, element) : cursor)),
      out,
    );
  }
}

/** Advances to the end of the path or to the next array, which is then in `from`. */
function advance(cursor: Cursor): Cursor {
  const { parts } = cursor;
  let { at, from } = cursor;
  if (from === undefined || Array.isArray(from)) return cursor;
  while (at < parts.length) {
    const value: Json | undefined = readField(from, parts[at] as PathPart);
    at += 1;
    if (Array.isArray(value)) return { parts, at, from: value, value: undefined };
    if (typeof value !== 'object' || value === null)
      return finished(parts, at === parts.length ? value : undefined);
    if (at === parts.length) return finished(parts, value);
    from = value as JsonObject;
  }
  return finished(parts, undefined);
}

function finished(parts: readonly PathPart[], value: IndexValue): Cursor {
  return { parts, at: parts.length, from: undefined, value };
}

function sharedArray(cursors: readonly Cursor[]): readonly Json[] | undefined {
  let shared: Container | undefined;
  for (const { from } of cursors) {
    if (from === undefined || from === shared) continue;
    if (shared !== undefined) throw parallelArrays(cursors);
    shared = from;
  }
  return shared as readonly Json[] | undefined;
}

function parallelArrays(cursors: readonly Cursor[]): StoreError {
  const holders = cursors.filter((cursor) => cursor.from !== undefined);
  const fields = holders.map((cursor) => cursor.parts.map((part) => part.name).join('.'));
  return new StoreError('parallel-arrays', { fields });
}

/** If the next part names an existing position, continues from that element only. */
function takePosition(cursor: Cursor): Cursor {
  const { parts, at, from } = cursor;
  const position = parts[at]?.position ?? -1;
  if (!Array.isArray(from) || position < 0 || position >= from.length) return cursor;
  const element = from[position] as Json;
  if (at + 1 === parts.length) {
    return finished(parts, Array.isArray(element) && element.length === 0 ? EMPTY_ARRAY : element);
  }
  if (typeof element !== 'object' || element === null) return finished(parts, undefined);
  return { parts, at: at + 1, from: element, value: undefined };
}

/** Continues from one element of the array in `from`; `undefined` stands for an empty array. */
function enter(cursor: Cursor, element: Json | undefined): Cursor {
  const { parts, at } = cursor;
  if (at === parts.length) return finished(parts, element === undefined ? EMPTY_ARRAY : element);
  if (typeof element !== 'object' || element === null || Array.isArray(element)) {
    return finished(parts, undefined);
  }
  return { parts, at, from: element as JsonObject, value: undefined };
}

/** Tests one value at the end of a path; `undefined` for a missing field. */
export type ValueTest = (value: Json | undefined) => boolean;

/** Visited branches. Without it a hostile path takes exponential time. */
type Memo = Map<Container, Set<number>>;

interface Search {
  readonly parts: readonly PathPart[];
  /** Also test the elements of an array at the end of the path. */
  readonly expand: boolean;
  readonly test: ValueTest;
  readonly memo: Memo | undefined;
}

const MEMO_FROM_PARTS = 8;

/**
 * Whether some value at the end of the path passes `test`. With `expand`, an array there is tested element by element, then as a
 * whole; an element named by position is only tested as a whole.
 */
export function somePathValue(
  root: Container,
  parts: readonly PathPart[],
  { test, expand }: { readonly test: ValueTest; readonly expand: boolean },
): boolean {
  const risky = parts.length >= MEMO_FROM_PARTS && parts.some((part) => part.position >= 0);
  return searchObject(root, 0, { parts, expand, test, memo: risky ? new Map() : undefined });
}

function searchObject(start: Container, from: number, search: Search): boolean {
  const { parts, test } = search;
  let current: Container = start;
  for (let at = from; at < parts.length; at += 1) {
    const value = readField(current, parts[at] as PathPart);
    if (Array.isArray(value)) return searchArray(value, at + 1, search);
    if (at + 1 === parts.length) return test(value);
    if (typeof value !== 'object' || value === null) return test(undefined);
    current = value as JsonObject;
  }
  return false;
}

function searchArray(array: readonly Json[], at: number, search: Search): boolean {
  const part = search.parts[at];
  if (part === undefined) return (search.expand && array.some(search.test)) || search.test(array);
  if (search.memo !== undefined && !firstVisit(search.memo, array, at)) return false;
  for (const element of array) {
    const isObject = typeof element === 'object' && element !== null && !Array.isArray(element);
    if (isObject && searchObject(element as JsonObject, at, search)) return true;
  }
  return part.position >= 0 && part.position < array.length
    ? searchPosition(array[part.position] as Json, at + 1, search)
    : false;
}

function searchPosition(element: Json, at: number, search: Search): boolean {
  if (at === search.parts.length) return search.test(element);
  if (Array.isArray(element)) return searchArray(element, at, search);
  return typeof element === 'object' && element !== null
    ? searchObject(element as JsonObject, at, search)
    : false;
}

function firstVisit(memo: Memo, array: readonly Json[], at: number): boolean {
  const seen = memo.get(array);
  if (seen === undefined) memo.set(array, new Set([at]));
  else if (seen.has(at)) return false;
  else seen.add(at);
  return true;
}
