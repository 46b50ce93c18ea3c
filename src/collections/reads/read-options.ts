// What a read asks of the store: the request's parameters held against the collection's settings and the limits.
import type { Projection, Sort } from '../../stores/ports.ts';
import type { Collection } from '../model/collection.ts';
import type { ReadRequest } from '../model/documents.ts';
import type { PageInfo } from './page-metadata.ts';
import { resolveFields } from './projection.ts';
import { resolveSort } from './sort.ts';

export interface ReadOptions {
  readonly page: PageInfo;
  readonly sort: Sort;
  readonly projection: Projection | undefined;
}

/** Documents on one page: the request's `count`, else the collection's; 0 and more than the cap mean the cap. */
export function resolvePageSize(collection: Collection, request: ReadRequest, cap: number): number {
  const count = request.count ?? collection.settings.pageSize;
  return count < 1 || count > cap ? cap : Math.floor(count);
}

/** Everything of a read but its filter. `cap` is the largest page. Throws PARAMETER_INVALID. */
export function resolveReadOptions(collection: Collection, request: ReadRequest, cap: number): ReadOptions {
  const limit = resolvePageSize(collection, request, cap);
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
