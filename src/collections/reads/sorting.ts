// The order of a list: the request's `sort`, else the collection's, else none.
import type { Json } from '../../lib/json.ts';
import type { Direction, Sort } from '../../stores/ports.ts';
import type { Collection } from '../collection.ts';
import type { ReadRequest } from '../documents.ts';
import { collectionScope, type Scope } from '../filters/scope.ts';
import { refuseParameter } from '../parameter-error.ts';

const MAX_KEYS = 32;

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
export function chooseSort(collection: Collection, request: ReadRequest): Sort {
  const { sort, sortOrder } = request;
  const scope = collectionScope(collection);
  const asked =
    sort === undefined ? [] : readSort(sort, sortOrder ?? 1).filter(([path]) => isOwn(scope, path));
  const idAt = asked.findIndex(([path]) => path === '_id');
  if (asked.length > 0) return idAt < 0 ? asked : asked.slice(0, idAt + 1);
  const { settings } = collection;
  if (settings.sort === null || !isOwn(scope, settings.sort)) return [];
  return [[settings.sort, sortOrder ?? settings.sortOrder]];
}

const isOwn = (scope: Scope, path: string) => scope(path)?.kind === 'own';

function readSort(sort: NonNullable<ReadRequest['sort']>, order: Direction): Sort {
  if (typeof sort === 'string') return [[sort, order]];
  const keys = Object.entries(sort);
  if (keys.length > MAX_KEYS) {
    throw refuseParameter('sort', `The \`sort\` parameter takes at most ${MAX_KEYS} fields`);
  }
  return keys.map(([path, value]) => {
    const direction = DIRECTIONS.get(value);
    if (direction === undefined) {
      throw refuseParameter('sort', 'The `sort` parameter takes 1 or -1 for each field');
    }
    return [path, direction] as const;
  });
}
