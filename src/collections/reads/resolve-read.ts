// Resolves the parameters of a read against the settings of the collection and the limits: page, order, fields; and the
// metadata of a page.

import type { JsonObject } from '../../lib/json/json.ts';
import { quoteName } from '../../lib/nearest-name.ts';
import type { Direction, Projection, Sort } from '../../stores/ports.ts';
import { collectionScope, isValidPath, pathHint } from '../filters/scope.ts';
import { isHiddenPath, NO_NAMES } from '../model/access.ts';
import type { Collection } from '../model/collection.ts';
import type { CountResult, Metadata } from '../model/documents.ts';
import { createParameterError, type ReadRequest, sortDirection } from '../model/read-parameters.ts';

/** What is known of a page before the matches are counted. */
export interface PageInfo {
  readonly limit: number;
  readonly page: number;
  readonly offset: number;
  readonly fields: Readonly<Record<string, 0 | 1>>;
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly historyFilters?: JsonObject;
  /** What has no effect in the request. */
  readonly warnings?: readonly string[];
}

/** Metadata of a list. A page past the end has neither a next nor a previous one. Absent members are undefined, which JSON leaves out. */
export function pageMetadata(facts: PageInfo, totalCount: number): Metadata {
  const { limit, page, fields, sort, historyFilters, offset, warnings } = facts;
  const totalPages = Math.ceil(totalCount / limit);
  const nextPage = page < totalPages ? page + 1 : undefined;
  const prevPage = page > 1 && page <= totalPages ? page - 1 : undefined;
  return {
    limit,
    page,
    fields,
    sort,
    historyFilters,
    offset,
    totalCount,
    totalPages,
    nextPage,
    prevPage,
    warnings,
  };
}

/** Metadata of an update: all documents are on one page. */
export function writeMetadata(totalCount: number): Metadata {
  return { page: 1, offset: 0, totalCount, totalPages: totalCount === 0 ? 0 : 1 };
}

/** Metadata of a bare count. */
export function countMetadata(limit: number, totalCount: number): CountResult {
  return { metadata: { limit, totalCount, totalPages: Math.ceil(totalCount / limit) } };
}

export interface ReadOptions {
  readonly page: PageInfo;
  readonly sort: Sort;
  readonly projection: Projection | undefined;
}

const MAX_SORT_KEYS = 32;

/** Documents on one page: of the request, else of the collection. 0 and more than `maxPageSize` mean `maxPageSize`. */
export function resolvePageSize(collection: Collection, request: ReadRequest, maxPageSize: number): number {
  const pageSize = request.pageSize ?? collection.settings.pageSize;
  return pageSize < 1 || pageSize > maxPageSize ? maxPageSize : Math.floor(pageSize);
}

/** Everything of a read but its filter. `hidden`: fields that the caller does not get. Throws PARAMETER_INVALID. */
export function resolveReadOptions(
  collection: Collection,
  request: ReadRequest,
  maxPageSize: number,
  hidden: ReadonlySet<string> = NO_NAMES,
): ReadOptions {
  const limit = resolvePageSize(collection, request, maxPageSize);
  const page = Math.max(1, request.page ?? 1);
  const offset = Math.min((page - 1) * limit + (request.skip ?? 0), Number.MAX_SAFE_INTEGER);
  const { fields, projection } = resolveFields(request.fields, collection.settings.fieldLimiters);
  const sort = resolveSort(collection, request);
  const warnings = warnOfSort(collection, request);
  const { includeHistory, historyFilters } = request;
  return {
    page: {
      limit,
      page,
      offset,
      fields,
      ...(sort.length === 0 ? {} : { sort: Object.fromEntries(sort) }),
      ...(includeHistory === true && historyFilters !== undefined ? { historyFilters } : {}),
      ...(warnings.length === 0 ? {} : { warnings }),
    },
    sort,
    projection: withoutHidden(projection, hidden),
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

const NO_WARNINGS: readonly string[] = [];
/** Names that are warned of: each is compared with all fields. */
const MAX_WARNINGS = 10;

/** A warning for each field to sort by that the collection does not have: such a field is ignored. */
function warnOfSort(collection: Collection, { sort }: ReadRequest): readonly string[] {
  if (sort === undefined) return NO_WARNINGS;
  const scope = collectionScope(collection);
  const names = typeof sort === 'string' ? [sort] : Object.keys(sort);
  const unknown = names.filter((name) => name !== '' && scope(name)?.kind !== 'field').slice(0, MAX_WARNINGS);
  return unknown.map((name) => {
    const shown = `${quoteName(name)} in \`sort\``;
    if (scope(name) !== undefined) return `${shown} is ignored: it is in another collection`;
    return `${shown} is ignored: it doesn't exist in the collection schema${pathHint(name, collection)}`;
  });
}

function parseSort(sort: NonNullable<ReadRequest['sort']>, order: Direction): Sort {
  if (typeof sort === 'string') return [[sort, order]];
  const keys = Object.entries(sort);
  if (keys.length > MAX_SORT_KEYS) {
    throw createParameterError('sort', `The \`sort\` parameter takes at most ${MAX_SORT_KEYS} fields`);
  }
  return keys.map(([path, value]) => {
    const direction = sortDirection(value);
    if (direction === undefined) {
      throw createParameterError('sort', 'The `sort` parameter takes 1 or -1 for each field');
    }
    return [path, direction] as const;
  });
}

/** The projection without hidden fields, and without what is in them. */
export function withoutHidden(
  projection: Projection | undefined,
  hidden: ReadonlySet<string>,
): Projection | undefined {
  if (hidden.size === 0) return projection;
  const { include, exclude = [] } = projection ?? {};
  return {
    ...(include && { include: include.filter((path) => !isHiddenPath({ hidden }, path)) }),
    exclude: outermostPaths([...exclude, ...hidden]),
  };
}

export type FieldMap = Readonly<Record<string, 0 | 1>>;

export interface FieldSelection {
  /** What the metadata shows: the request's map under the limiters', which win. */
  readonly fields: FieldMap;
  readonly projection: Projection | undefined;
}

const NO_FIELDS: FieldMap = {};
const ALL_FIELDS: FieldSelection = { fields: NO_FIELDS, projection: undefined };

/**
 * Joins the two maps. Limiters win on a name that both have; an excluding limiter takes its fields out of an including
 * request. Throws PARAMETER_INVALID for a mixture of 0 and 1 within one map (`_id` aside), or another value.
 */
export function resolveFields(requested: JsonObject | undefined, limiters: FieldMap | null): FieldSelection {
  if (requested === undefined && limiters === null) return ALL_FIELDS;
  const asked = parseFieldMap(requested ?? NO_FIELDS);
  const limits = limiters ?? NO_FIELDS;
  const including = [asked, limits].map(isInclusive).includes(true);
  const fields = Object.fromEntries([...Object.entries(asked), ...Object.entries(limits)]);
  const named = (map: FieldMap, value: 0 | 1) => Object.keys(map).filter((name) => map[name] === value);
  const exclude = outermostPaths([
    ...named(limits, 0),
    ...named(asked, 0).filter((name) => limits[name] !== 1),
  ]);
  const wanted = named(asked, 1).filter((name) => limits[name] !== 0);
  const include = including ? outermostPaths([...wanted, ...named(limits, 1)]) : undefined;
  if (include === undefined && exclude.length === 0) return { fields, projection: undefined };
  return {
    fields,
    projection: { ...(include && { include }), ...(exclude.length > 0 && { exclude }) },
  };
}

/** True when the map lists what to show; false when it lists what to hide, or nothing. Throws for a mixture. */
function isInclusive(map: FieldMap): boolean {
  const names = Object.keys(map).filter((name) => name !== '_id');
  const including = names.some((name) => map[name] === 1);
  if (including && names.some((name) => map[name] === 0)) {
    throw createParameterError(
      'fields',
      'Fields cannot be included and excluded at the same time: a database error',
    );
  }
  return including || (names.length === 0 && map['_id'] === 1);
}

function parseFieldMap(map: JsonObject): FieldMap {
  const entries = Object.entries(map).map(([name, value]): [string, 0 | 1] => {
    if (value === 1 || value === true) return [name, 1];
    if (value === 0 || value === false) return [name, 0];
    throw createParameterError('fields', 'The `fields` parameter takes 1 or 0 for each field');
  });
  return Object.fromEntries(entries);
}

/** Paths that a store can walk, without those that lie under another one of the list. */
export function outermostPaths(names: readonly string[]): readonly string[] {
  const paths = new Set(names.filter(isValidPath));
  return [...paths].filter((path) => !ancestorPaths(path).some((outer) => paths.has(outer)));
}

function ancestorPaths(path: string): readonly string[] {
  const segments = path.split('.');
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('.'));
}

/** True when the projection leaves the field, named without dots, in the documents. */
export function includesField(projection: Projection | undefined, name: string): boolean {
  if (projection?.exclude?.includes(name)) return false;
  return name === '_id' || projection?.include?.includes(name) !== false;
}

/** The projection with `_id` shown, and whether it was to be hidden: for reads that need the id on the way. */
export function withVisibleId(projection: Projection | undefined): {
  readonly projection: Projection | undefined;
  readonly hideId: boolean;
} {
  if (projection?.exclude === undefined || includesField(projection, '_id'))
    return { projection, hideId: false };
  const exclude = projection.exclude.filter((path) => path !== '_id');
  const shown = { ...(projection.include && { include: projection.include }), exclude };
  return { projection: shown, hideId: true };
}
