// Resolves the parameters of a read against the settings of the collection and the limits: page, order, fields.
import type { Json } from '../../lib/json/json.ts';
import type { Direction, Projection, Sort } from '../../stores/ports.ts';
import { collectionScope } from '../filters/scope.ts';
import type { Collection } from '../model/collection.ts';
import { createParameterError } from '../model/parameter-error.ts';
import type { ReadRequest } from '../model/read-request.ts';
import type { PageInfo } from './page-metadata.ts';
import { resolveFields } from './projection.ts';

export interface ReadOptions {
  readonly page: PageInfo;
  readonly sort: Sort;
  readonly projection: Projection | undefined;
}

const MAX_SORT_KEYS = 32;

const DIRECTIONS: ReadonlyMap<Json, Direction> = new Map<Json, Direction>([
  [1, 1],
  [-1, -1],
  ['1', 1],
  ['-1', -1],
  ['asc', 1],
  ['desc', -1],
]);

/** Documents on one page: of the request, else of the collection. 0 and more than `maxPageSize` mean `maxPageSize`. */
export function resolvePageSize(collection: Collection, request: ReadRequest, maxPageSize: number): number {
  const pageSize = request.pageSize ?? collection.settings.pageSize;
  return pageSize < 1 || pageSize > maxPageSize ? maxPageSize : Math.floor(pageSize);
}

/** Everything of a read but its filter. Throws PARAMETER_INVALID. */
export function resolveReadOptions(
  collection: Collection,
  request: ReadRequest,
  maxPageSize: number,
): ReadOptions {
  const limit = resolvePageSize(collection, request, maxPageSize);
  const page = Math.max(1, request.page ?? 1);
  const offset = Math.min((page - 1) * limit + (request.skip ?? 0), Number.MAX_SAFE_INTEGER);
  const { fields, projection } = resolveFields(request.fields, collection.settings.fieldLimiters);
  const sort = resolveSort(collection, request);
  const { includeHistory, historyFilters } = request;
  return {
    page: {
      limit,
      page,
      offset,
      fields,
      ...(sort.length === 0 ? {} : { sort: Object.fromEntries(sort) }),
      ...(includeHistory === true && historyFilters !== undefined ? { historyFilters } : {}),
    },
    sort,
    projection,
  };
}

/**
 * The sort keys: of the request, else of the collection, else none. Fields that the collection does not have are ignored,
 * and so are those after `_id`, which leaves nothing to order. Throws PARAMETER_INVALID.
 */
export function resolveSort(collection: Collection, { sort, sortOrder }: ReadRequest): Sort {
  const scope = collectionScope(collection);
  const isSortable = (path: string) => scope(path)?.kind === 'field';
  const requested =
    sort === undefined ? [] : parseSort(sort, sortOrder ?? 1).filter(([path]) => isSortable(path));
  const idIndex = requested.findIndex(([path]) => path === '_id');
  if (requested.length > 0) return idIndex < 0 ? requested : requested.slice(0, idIndex + 1);
  const { settings } = collection;
  if (settings.sort === null || !isSortable(settings.sort)) return [];
  return [[settings.sort, sortOrder ?? settings.sortOrder]];
}

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
