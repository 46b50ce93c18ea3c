// Follows a dotted path through a document as MongoDB's filters do: into the objects of an array, and to the element at a numeric
// part.
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { type Container, type PathPart, readField } from './paths.ts';

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
