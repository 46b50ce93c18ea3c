// The values that a compound key takes in one document: one tuple, or one for each element of the array its paths meet.
import { StoreError } from '../../errors.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import type { Meter } from './meter.ts';

/** Stands for an empty array at the end of a path. It orders below null. */
export const EMPTY_ARRAY = Symbol('empty array');

/** `undefined` where the path ends at a missing field. */
export type KeyValue = Json | undefined | typeof EMPTY_ARRAY;

export interface KeyTuples {
  readonly tuples: readonly (readonly KeyValue[])[];
  /** One bit a path: an array was met there. */
  readonly arrays: number;
}

export type SplitPath = readonly string[];

interface Stop {
  readonly value: KeyValue;
  /** The array that the walk met, and what is left of the path behind it. */
  readonly array?: readonly Json[];
  readonly rest?: SplitPath;
}

const POSITION = /^(?:0|[1-9]\d{0,8})$/;

/** Splits the paths of a key once, for many documents. */
export function splitPaths(paths: readonly string[]): readonly SplitPath[] {
  return paths.map((path) => path.split('.'));
}

/** True when some part of the path may mean a position in an array. */
export function hasPosition(path: string): boolean {
  return path.split('.').some((part) => POSITION.test(part));
}

function stopAtArray(array: readonly Json[], rest: SplitPath): Stop {
  const [first, ...others] = rest;
  if (first !== undefined && POSITION.test(first)) {
    const element = array[Number(first)];
    return others.length === 0 ? { value: element } : walk(element, others);
  }
  return { value: undefined, array, rest };
}

function walk(start: Json | undefined, path: SplitPath): Stop {
  let current = start;
  for (let at = 0; at < path.length; at += 1) {
    if (Array.isArray(current)) return stopAtArray(current, path.slice(at));
    const name = path[at] ?? '';
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) {
      return { value: undefined };
    }
    current = (current as JsonObject)[name];
  }
  return Array.isArray(current) ? stopAtArray(current, []) : { value: current };
}

function elementStop(element: Json, rest: SplitPath): Stop {
  if (rest.length === 0) return { value: element };
  // An array directly inside an array is not walked into.
  return Array.isArray(element) ? { value: undefined } : walk(element, rest);
}

function expand(stops: readonly Stop[], meter: Meter): KeyTuples {
  const array = stops.find((stop) => stop.array !== undefined)?.array;
  if (array === undefined) return { tuples: [stops.map((stop) => stop.value)], arrays: 0 };
  let arrays = 0;
  stops.forEach((stop, at) => {
    if (stop.array === undefined) return;
    if (stop.array !== array) throw new ParallelArrays();
    arrays |= 1 << at;
  });
  if (array.length === 0) {
    return { tuples: [stops.map((stop) => (stop.rest?.length === 0 ? EMPTY_ARRAY : stop.value))], arrays };
  }
  const tuples: (readonly KeyValue[])[] = [];
  for (const element of array) {
    meter.tick(0);
    const next = stops.map((stop) => (stop.rest === undefined ? stop : elementStop(element, stop.rest)));
    const inner = expand(next, meter);
    for (const tuple of inner.tuples) tuples.push(tuple);
    arrays |= inner.arrays;
  }
  return { tuples, arrays };
}

/** Two paths of one key met different arrays, which has no order: MongoDB refuses it too. */
export class ParallelArrays extends Error {}

/** All tuples of `paths` in `document`. Throws `ParallelArrays`. */
export function keyTuples(document: JsonObject, paths: readonly SplitPath[], meter: Meter): KeyTuples {
  return expand(
    paths.map((path) => walk(document, path)),
    meter,
  );
}

/** The failure that callers see for `ParallelArrays` in the key with these paths. */
export function parallelArraysError(paths: readonly string[], index?: number): StoreError {
  return new StoreError('parallel-arrays', { fields: paths, ...(index === undefined ? {} : { index }) });
}
