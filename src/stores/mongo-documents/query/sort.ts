// Translates a sort, and tells which paths the server accepts in sorts and projections.
import type { Direction, Sort } from '../../ports.ts';
import { BSON_TYPE_MARKER } from '../bson/json-to-bson.ts';
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
