// What a caller may do with the documents of a collection. `src/auth/access/` decides it; whatever reads or writes documents for a
// caller obeys it here: the filters of its queries, and the fields that it sees.

import { AppError } from '../../errors/errors.ts';
import { ACCESS_ACTIONS, type AccessAction } from '../../lib/access-actions.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { type Filter, joinFilters, MATCH_ALL } from '../../stores/filter.ts';
import type { DocumentStore, FindQuery, Namespace, OperationOptions } from '../../stores/ports.ts';
import type { Collection } from './collection.ts';

/** For each action the documents that the caller may do it with: MATCH_ALL for every document, null for none. */
export interface CollectionAccess extends Readonly<Record<AccessAction, Filter | null>> {
  /** Names of the fields that the caller never gets, and cannot filter, sort or compose by. */
  readonly hidden: ReadonlySet<string>;
  /** Names of the fields that the caller may not set or remove. */
  readonly closed: ReadonlySet<string>;
  /** Rules of the specification decide: who may not is answered 403. */
  readonly isRuled: boolean;
  /**
   * What writes find and show: what the caller may read, whether or not posted code that asks for it was granted reading; MATCH_ALL
   * where neither rules nor permissions tell reading from writing.
   */
  readonly findable: Filter | null;
  /** Equal for callers who read the same of the collection, revisions included, and not what it refers to. */
  readonly readKey: string;
}

export const NO_NAMES: ReadonlySet<string> = new Set();

/** Everything is allowed, as for admins and for the server itself. */
export const FULL_ACCESS: CollectionAccess = {
  read: MATCH_ALL,
  create: MATCH_ALL,
  update: MATCH_ALL,
  delete: MATCH_ALL,
  history: MATCH_ALL,
  hidden: NO_NAMES,
  closed: NO_NAMES,
  isRuled: false,
  findable: MATCH_ALL,
  readKey: 'all\0all',
};

/** The same access without the actions that `allows` refuses. */
export function narrowAccess(
  access: CollectionAccess,
  allows: (action: AccessAction) => boolean,
): CollectionAccess {
  const narrowed = ACCESS_ACTIONS.map((action) => [action, allows(action) ? access[action] : null] as const);
  const readKey = allows('read') ? access.readKey : 'none';
  return { ...access, ...(Object.fromEntries(narrowed) as Record<AccessAction, Filter | null>), readKey };
}

/** True for the path of a hidden field, or of something in one. */
export const isHiddenPath = ({ hidden }: Pick<CollectionAccess, 'hidden'>, path: string): boolean =>
  hidden.size > 0 && hidden.has(path.split('.', 1)[0] ?? path);

/** An object without the members that are hidden. */
export function withoutHiddenMembers(
  object: JsonObject,
  { hidden }: Pick<CollectionAccess, 'hidden'>,
): JsonObject {
  if (hidden.size === 0) return object;
  return Object.fromEntries(Object.entries(object).filter(([name]) => !hidden.has(name)));
}

/** True where the caller may read every document of the collection. */
export const readsAll = ({ read }: Pick<CollectionAccess, 'read'>): boolean => read === MATCH_ALL;

/** True where answers show fields: to reads, or at least to writes. Otherwise they show ids. */
export const showsFields = ({ read, findable }: Pick<CollectionAccess, 'read' | 'findable'>): boolean =>
  read !== null || findable !== null;

const MATCH_NONE: Filter = { kind: 'or', filters: [] };

/**
 * The error for a caller who may not do what it asks for: 401, as clients of older servers expect, or 403 where rules decide.
 * `field`: the path in the body that it is about.
 */
export function notPermitted(
  { isRuled }: Pick<CollectionAccess, 'isRuled'>,
  { clientId }: { readonly clientId: string | null },
  field?: string,
): AppError {
  return new AppError('NOT_PERMITTED', {
    ...(isRuled && clientId !== null && { status: 403 }),
    ...(field !== undefined && { field }),
  });
}

/** Throws NOT_PERMITTED unless the caller may read every document, as for figures about all of them. */
export function assertReadsAll(access: CollectionAccess, caller: { readonly clientId: string | null }): void {
  if (!readsAll(access)) throw notPermitted(access, caller);
}

declare const PERMITTED: unique symbol;

/** A filter that keeps to what somebody may see. Only the functions below make one. */
export type PermittedFilter = Filter & { readonly [PERMITTED]: true };

/** The documents of `filter` that the caller may do this with. */
export function permit(
  access: CollectionAccess,
  action: AccessAction | 'findable',
  filter: Filter,
): PermittedFilter {
  return joinFilters([filter, access[action] ?? MATCH_NONE]) as PermittedFilter;
}

/**
 * The revisions of `filter` whose own state the caller may do this with. A rule is about documents, whose id is not that of their
 * revisions.
 */
export function permitRevisions(
  access: CollectionAccess,
  action: 'read' | 'history',
  filter: Filter,
): PermittedFilter {
  return joinFilters([filter, aboutRevisions(access[action] ?? MATCH_NONE)]) as PermittedFilter;
}

function aboutRevisions(filter: Filter): Filter {
  if (filter === MATCH_ALL) return filter;
  if (filter.kind !== 'field') return { ...filter, filters: filter.filters.map(aboutRevisions) };
  return filter.path === '_id' ? { ...filter, path: 'originalDocumentId' } : filter;
}

/** The documents of a permitted filter that match another one as well. */
export function narrowFilter(permitted: PermittedFilter, filter: Filter): PermittedFilter {
  return joinFilters([filter, permitted]) as PermittedFilter;
}

/** The filter of a query that the server makes for itself: what it finds does not reach a caller unchecked. */
export function permitServer(filter: Filter): PermittedFilter {
  return filter as PermittedFilter;
}

export interface PermittedQuery extends FindQuery {
  readonly filter: PermittedFilter;
}

/** A query of the store, for somebody. */
type PermittedFind<Method extends 'find' | 'findText' | 'findPage'> = (
  ns: Namespace,
  query: PermittedQuery,
  options?: Parameters<DocumentStore[Method]>[2],
) => ReturnType<DocumentStore[Method]>;

/** The document store as the domain uses it: the compiler refuses a query that was made for nobody. */
export interface PermittedStore extends Omit<DocumentStore, 'find' | 'findText' | 'findPage' | 'count'> {
  readonly find: PermittedFind<'find'>;
  readonly findText: PermittedFind<'findText'>;
  readonly findPage: PermittedFind<'findPage'>;
  readonly count: (
    ns: Namespace,
    filter: PermittedFilter,
    options?: OperationOptions,
  ) => ReturnType<DocumentStore['count']>;
}

/** Shows a collection as a caller sees it. */
export type VisibleCollection = (
  collection: Collection,
  access: Pick<CollectionAccess, 'hidden'>,
) => Collection;

/**
 * Makes the function that shows a collection as a caller sees it: hidden fields are unknown. It returns the same object for the
 * same fields, so that what is remembered of a collection is remembered of its views; there are as many as sets of hidden fields.
 */
export function createVisibleCollections(): VisibleCollection {
  const known = new WeakMap<Collection, Map<string, Collection>>();
  return (collection, { hidden }) => {
    if (hidden.size === 0) return collection;
    const key = [...hidden].join('\0');
    const views = known.get(collection) ?? new Map<string, Collection>();
    const view = views.get(key) ?? withoutFields(collection, hidden);
    views.set(key, view);
    known.set(collection, views);
    return view;
  };
}

function withoutFields(collection: Collection, hidden: ReadonlySet<string>): Collection {
  const { fieldLimiters } = collection.settings;
  const limiters = Object.entries(fieldLimiters ?? {});
  const shown = limiters.filter(([path]) => !isHiddenPath({ hidden }, path));
  // Limiters that show hidden fields only would show everything else without them.
  const isInclusive = limiters.some(([path, value]) => path !== '_id' && value === 1);
  const only = isInclusive && !shown.some(([path, value]) => path !== '_id' && value === 1);
  return {
    ...collection,
    fields: new Map([...collection.fields].filter(([name]) => !hidden.has(name))),
    settings: {
      ...collection.settings,
      fieldLimiters:
        fieldLimiters === null ? null : { ...Object.fromEntries(shown), ...(only && { _id: 1 as const }) },
    },
  };
}
