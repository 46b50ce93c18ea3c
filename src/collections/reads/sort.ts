// The order of a list: the request's `sort`, else the collection's, else none.
import type { Json } from '../../lib/json/json.ts';
import type { Direction, Sort } from '../../stores/ports.ts';
import { collectionScope, type PathScope } from '../filters/scope.ts';
import type { Collection } from '../model/collection.ts';
import type { ReadRequest } from '../model/documents.ts';
import { createParameterError } from '../model/parameter-error.ts';

const MAX_SORT_KEYS = 32;

const DIRECTIONS: ReadonlyMap<Json, Direction> = new Map<Json, Direction>([
  [1, 1],
  [-1, -1],
  ['1', 1],
  ['-1', -1],
  ['asc', 1],
  ['desc', -1],
]);

/**
 * The sort keys of a request. Fields that the collection does not have are ignored, and those behind `_id`, which leaves
 * nothing to order; `[]` is no order of its own.
 */
export function resolveSort(collection: Collection, request: ReadRequest): Sort {
  const { sort, sortOrder } = request;
  const scope = collectionScope(collection);
  const asked =
    sort === undefined ? [] : parseSort(sort, sortOrder ?? 1).filter(([path]) => isSortable(scope, path));
  const idAt = asked.findIndex(([path]) => path === '_id');
  if (asked.length > 0) return idAt < 0 ? asked : asked.slice(0, idAt + 1);
  const { settings } = collection;
  if (settings.sort === null || !isSortable(scope, settings.sort)) return [];
  return [[settings.sort, sortOrder ?? settings.sortOrder]];
}

const isSortable = (scope: PathScope, path: string) => scope(path)?.kind === 'field';

function parseSort(sort: NonNullable<ReadRequest['sort']>, order: Direction): Sort {
  if (typeof sort === 'string') return [[sort, order]];
  const keys = Object.entries(sort);
  if (keys.length > MAX_SORT_KEYS) {
    throw createParameterError('sort', `The \`sort\` parameter takes at most ${MAX_SORT_KEYS} fields`);
  }
  return keys.map(([path, value]) => {
    const direction = DIRECTIONS.get(value);
    if (direction === undefined) {
      throw createParameterError('sort', 'The `sort` parameter takes 1 or -1 for each field');
    }
    return [path, direction] as const;
  });
}
