// Translates sorts and projections: which fields the server sorts by and sends, and what is left to remove afterwards.

import type { Document } from 'mongodb';
import type { JsonObject } from '../../../lib/json/json.ts';
import { createProjector } from '../../matching/projector.ts';
import type { Direction, Projection, Sort } from '../../ports.ts';
import { BSON_TYPE_MARKER } from '../bson/bson-conversion.ts';
import type { KnownIndex } from '../connection/types.ts';

/** Limits of the server. */
const MAX_SORT_KEYS = 32;
const MAX_PATH_PARTS = 100;

/** True for a path that the server takes in sorts and projections, and the driver too. */
export function isServerPath(path: string): boolean {
  const parts = path.split('.');
  return (
    path !== BSON_TYPE_MARKER &&
    parts.length <= MAX_PATH_PARTS &&
    parts.every((part) => part !== '' && !part.startsWith('$') && !part.includes('\0'))
  );
}

/**
 * The sort with its ties, keys in order; undefined for one that the server cannot do. Where a unique index that leaves no
 * document out is among the keys there are no ties, and naming `_id` would only keep that index from being used.
 */
export function serverSort(
  sort: Sort,
  indexes: readonly KnownIndex[],
): ReadonlyMap<string, Direction> | undefined {
  const keys = new Map<string, Direction>();
  // Keys after `_id` never decide, but the server would reject two of them that hold arrays.
  for (const [path, direction] of sort) if (!keys.has(path)) keys.set(path, direction);
  const isTotal =
    keys.has('_id') ||
    indexes.some(
      ({ isUnique, definition }) => isUnique && definition.keys.every(({ path }) => keys.has(path)),
    );
  if (!isTotal) keys.set('_id', sort.at(-1)?.[1] ?? 1);
  return keys.size <= MAX_SORT_KEYS && [...keys.keys()].every(isServerPath) ? keys : undefined;
}

export interface ServerProjection {
  /** Undefined: whole documents. */
  readonly fields: Document | undefined;
  /** Reduces a received document to the projection; undefined if nothing is left to do. */
  readonly finish: ((document: JsonObject) => JsonObject) | undefined;
}

/** The server's projection for `projection`. Paths of `also` are always included, for evaluation here. */
export function serverProjection(
  projection: Projection | undefined,
  also: readonly string[] = [],
): ServerProjection {
  if (projection === undefined) return { fields: undefined, finish: undefined };
  const { include, exclude = [] } = projection;
  return include === undefined ? excluding(exclude, also) : including(projection, include, also);
}

function including(
  projection: Projection,
  include: readonly string[],
  also: readonly string[],
): ServerProjection {
  const { exclude = [] } = projection;
  const wanted = withoutNestedPaths(
    [...include, ...also].filter((path) => path !== '_id' && !path.startsWith('_id.')),
  );
  const sent = wanted.every(isServerPath)
    ? wanted
    : withoutNestedPaths(wanted.map((path) => path.split('.')[0] as string));
  const dropsId = exclude.includes('_id');
  const isSame = sent === wanted && also.length === 0 && exclude.every((path) => path === '_id');
  const finish = createProjector(projection);
  // A field name that the server rejects in projections: the whole document is read.
  if (!sent.every(isServerPath)) return { fields: undefined, finish };
  if (dropsId && isSame && sent.length > 0)
    return { fields: fieldsOf([['_id', 0], ...withOnes(sent)]), finish: undefined };
  const fields = fieldsOf([['_id', 1], ...withOnes(sent)]);
  return { fields, finish: isSame && !dropsId ? undefined : finish };
}

function excluding(exclude: readonly string[], also: readonly string[]): ServerProjection {
  const unwanted = withoutNestedPaths(exclude);
  const dropped = unwanted.filter(
    (path) =>
      isServerPath(path) && !path.startsWith('_id.') && !also.some((other) => pathsOverlap(path, other)),
  );
  return {
    fields: dropped.length === 0 ? undefined : fieldsOf(dropped.map((path) => [path, 0])),
    finish: dropped.length === unwanted.length ? undefined : createProjector({ exclude }),
  };
}

function withOnes(paths: readonly string[]): (readonly [string, 1])[] {
  return paths.map((path) => [path, 1]);
}

/** An object with these members, whatever their names. */
function fieldsOf(members: readonly (readonly [string, 0 | 1])[]): Document {
  return Object.fromEntries(members);
}

/** The paths without those nested in another one, as the server rejects both together. */
function withoutNestedPaths(paths: readonly string[]): readonly string[] {
  const all = new Set(paths);
  return [...all].filter((path) => {
    for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
      if (all.has(path.slice(0, dot))) return false;
    }
    return true;
  });
}

function pathsOverlap(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`);
}
