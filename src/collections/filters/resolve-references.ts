// Replaces conditions on referenced documents by conditions on their ids, within what the caller may read.

import { type Filter, type FilterTest, joinFilters } from '../../stores/filter.ts';
import type { FindQuery, OperationOptions } from '../../stores/ports.ts';
import { type PermittedFilter, type PermittedStore, permitServer } from '../model/access.ts';
import type { Collection } from '../model/collection.ts';
import { createFilterError } from '../model/read-parameters.ts';
import {
  isResolved,
  joinParsedFilters,
  type ParsedFilter,
  type ReferenceCondition,
} from './parsed-filter.ts';

export interface ResolveOptions extends OperationOptions {
  readonly store: Pick<PermittedStore, 'find'>;
  /** What of the documents that match a condition the caller may read. Absent: the server itself asks. */
  readonly permitted?: (collection: Collection, condition: Filter) => PermittedFilter;
  /** What a collection shows of its namespace; everything unless given. */
  readonly ownDocuments?: (collection: Collection) => Filter;
  /** How many ids all reference conditions of a filter together may bring in. */
  readonly maxReferences: number;
}

interface ResolveState extends ResolveOptions {
  /** How many ids the filter may still bring in. */
  remaining: number;
}

type UnresolvedGroup = Extract<ParsedFilter, { readonly kind: 'group' }>;

/** A condition matches more ids than remain. A merged look-up may need fewer. */
class TooManyReferencesError extends Error {}

/** Replaces every reference condition by a condition on ids, innermost first. */
export async function resolveReferenceConditions(
  parsed: ParsedFilter,
  options: ResolveOptions,
): Promise<Filter> {
  const { maxReferences } = options;
  try {
    return await resolvePart(parsed, { ...options, remaining: maxReferences });
  } catch (error) {
    if (!(error instanceof TooManyReferencesError)) throw error;
    throw createFilterError(
      error.message,
      `The filter needs more than ${maxReferences} referenced documents`,
    );
  }
}

async function resolvePart(parsed: ParsedFilter, state: ResolveState): Promise<Filter> {
  if (isResolved(parsed)) return parsed;
  if (parsed.kind === 'reference') return resolveReference(parsed, state);
  const { remaining } = state;
  try {
    return await resolveGroup(parsed, state);
  } catch (error) {
    const merged = error instanceof TooManyReferencesError ? mergeLookups(parsed) : undefined;
    if (merged === undefined || (await hasListValues(merged.condition, state))) throw error;
    state.remaining = remaining;
    return resolveGroup({ ...parsed, filters: [merged.condition, ...merged.others] }, state);
  }
}

async function resolveGroup({ operator, filters }: UnresolvedGroup, state: ResolveState): Promise<Filter> {
  const resolved: Filter[] = [];
  // One after the other: they share one quota.
  for (const part of filters) resolved.push(await resolvePart(part, state));
  return { kind: operator, filters: resolved };
}

/**
 * Merges all conditions on the same reference into one: each side of a range may match most of a collection, both
 * together seldom do. Only valid where no document holds a list there, whose elements could satisfy them separately.
 */
function mergeLookups({
  operator,
  filters,
}: UnresolvedGroup): { condition: ReferenceCondition; others: ParsedFilter[] } | undefined {
  const first = filters.find((filter) => filter.kind === 'reference' && !filter.elementsOnly);
  if (operator !== 'and' || first?.kind !== 'reference') return undefined;
  const isMergeable = (filter: ParsedFilter): filter is ReferenceCondition =>
    filter.kind === 'reference' && filter.path === first.path && !filter.elementsOnly;
  const conditions = filters.filter(isMergeable);
  if (conditions.length === 1) return undefined;
  const condition: ReferenceCondition = {
    ...first,
    filter: joinParsedFilters(
      'and',
      conditions.map(({ filter }) => filter),
    ),
    matchesMissing: conditions.every(({ matchesMissing }) => matchesMissing),
  };
  return { condition, others: filters.filter((filter) => !isMergeable(filter)) };
}

async function hasListValues({ source, path }: ReferenceCondition, state: ResolveState): Promise<boolean> {
  const query = { filter: isList(path), limit: 1 };
  return (await findIds(source, query, state)).length > 0;
}

async function resolveReference(condition: ReferenceCondition, state: ResolveState): Promise<Filter> {
  const { path, matchesMissing, elementsOnly } = condition;
  const filter = await resolvePart(condition.filter, state);
  const isAmong = (values: readonly string[]) => where(path, { kind: 'in', values });
  const matches = isAmong(await findMatchingIds(condition, filter, state));
  if (elementsOnly) return { kind: 'and', filters: [isList(path), matches] };
  if (!matchesMissing) return matches;
  // The ids that do not match tell a reference to another document from one to no document.
  const others = await findMatchingIds(condition, { kind: 'nor', filters: [filter] }, state);
  return { kind: 'or', filters: [matches, { kind: 'nor', filters: [isList(path), isAmong(others)] }] };
}

/** The ids of the documents of the target that match. */
async function findMatchingIds(
  { path, target }: ReferenceCondition,
  filter: Filter,
  state: ResolveState,
): Promise<readonly string[]> {
  const ids = await findIds(target, { filter, limit: state.remaining + 1 }, state);
  if (ids.length > state.remaining) throw new TooManyReferencesError(path);
  state.remaining -= ids.length;
  return ids;
}

async function findIds(
  collection: Collection,
  { limit, ...query }: Pick<FindQuery, 'filter' | 'limit'>,
  { store, ownDocuments, deadline, permitted = (_, condition) => permitServer(condition) }: ResolveState,
): Promise<readonly string[]> {
  const filter = permitted(collection, joinFilters([query.filter, ownDocuments?.(collection)]));
  const idsOnly = { filter, limit, sort: [], skip: 0, projection: { include: ['_id'] } };
  const found = await store.find(collection.namespace, idsOnly, deadline === undefined ? {} : { deadline });
  return found.map(({ _id }) => _id);
}

const where = (path: string, ...tests: FilterTest[]): Filter => ({ kind: 'field', path, tests });
const isList = (path: string): Filter => where(path, { kind: 'type', names: ['array'] });
