// Compiles filters for a store: parsed, checked against the caller's rights, and conditions on referenced documents
// replaced by conditions on ids. A filter means what it would mean if referenced documents stood in place of their ids.
import { AppError } from '../../errors/errors.ts';
import { andThen, attempt, type MaybePromise } from '../../lib/async/maybe-promise.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { type Filter, type FilterTest, joinFilters, MATCH_ALL } from '../../stores/filter.ts';
import type { FindQuery, OperationOptions } from '../../stores/ports.ts';
import {
  type PermittedFilter,
  type PermittedStore,
  permit,
  permitServer,
  type VisibleCollection,
} from '../model/access.ts';
import type { AccessAction } from '../model/access-rules.ts';
import { type Collection, type CollectionRegistry, referenceTarget } from '../model/collection.ts';
import type { DocumentLimits, RequestContext } from '../model/documents.ts';
import { createFilterError } from '../model/read-parameters.ts';
import { parseFilter } from './parse.ts';
import {
  isResolved,
  joinParsedFilters,
  type ParsedFilter,
  type ReferenceCondition,
} from './parsed-filter.ts';

/** A filter that a store can evaluate. */
interface CompiledFilter {
  readonly filter: Filter;
  /** It depends on the text of the filter and on what the caller may read of the collection only, and not on documents. */
  readonly isReusable: boolean;
}

interface CompiledRead extends CompiledFilter {
  readonly filter: PermittedFilter;
}

/** Nothing is waited for unless a filter has conditions on referenced documents. */
export interface FilterCompiler {
  /** What the collection shows of its namespace: everything, or what was written under its version. */
  ownDocuments(collection: Collection): Filter;
  /** The same for one document. */
  isOwn(collection: Collection, document: JsonObject): boolean;
  /** Compiles a filter of a request, on those of the collection's own documents that the caller may do this with. Throws FILTER_INVALID. */
  compile(
    collection: Collection,
    filter: Json,
    context: RequestContext,
    action: AccessAction,
  ): MaybePromise<PermittedFilter>;
  /** Compiles the default filters of the collection, on its own documents; MATCH_ALL where it has none and shows everything. Throws DEFAULT_FILTERS_BROKEN. */
  compileDefaults(collection: Collection, context: Pick<RequestContext, 'deadline'>): MaybePromise<Filter>;
  /**
   * Compiles the filter of a request, where there is one, joined with the default filters, on documents that the caller may read.
   * Throws FILTER_INVALID and DEFAULT_FILTERS_BROKEN.
   */
  compileRead(
    collection: Collection,
    filter: JsonObject | undefined,
    context: RequestContext,
  ): MaybePromise<CompiledRead>;
}

const EVERYTHING: CompiledFilter = { filter: MATCH_ALL, isReusable: true };
const toFilter = ({ filter }: CompiledFilter) => filter;

interface ParsedDefaults {
  readonly collections: readonly Collection[];
  readonly parsed: ParsedFilter;
}

interface FilterCompilerDeps {
  readonly store: Pick<PermittedStore, 'find'>;
  readonly registry: Pick<CollectionRegistry, 'get' | 'list'>;
  readonly visible: VisibleCollection;
  readonly limits: Pick<DocumentLimits, 'filterDepth' | 'filterNodes' | 'composeReferences'>;
  /** `query.useVersionFilter` */
  readonly useVersionFilter?: boolean | undefined;
}

export function createFilterCompiler({
  store,
  registry,
  visible,
  limits,
  useVersionFilter = false,
}: FilterCompilerDeps): FilterCompiler {
  const ownDocuments = ({ version }: Collection): Filter =>
    useVersionFilter ? where('apiVersion', { kind: 'eq', value: version }) : MATCH_ALL;

  /** Valid for the live collections that they were parsed with: filters lead through references to others. */
  const parsedDefaults = new WeakMap<Collection, ParsedDefaults>();
  const maxReferences = limits.composeReferences;

  const resolve = (
    parsed: ParsedFilter,
    {
      isReusable,
      ...options
    }: Pick<ResolveOptions, 'deadline' | 'permitted'> & { readonly isReusable: boolean },
  ): MaybePromise<CompiledFilter> =>
    isResolved(parsed)
      ? { filter: parsed, isReusable }
      : resolveReferenceConditions(parsed, { ...options, store, maxReferences, ownDocuments }).then(
          (filter) => ({
            filter,
            isReusable: false,
          }),
        );

  const compileRequested = (collection: Collection, filter: Json, { caller, deadline }: RequestContext) =>
    attempt(() => {
      let followsReferences = false;
      const parsed = parseFilter(filter, visible(collection, caller.access(collection)), {
        limits,
        resolveTarget(from, field) {
          followsReferences = true;
          const target = referenceTarget(registry, from, field);
          const access = target && caller.access(target);
          return target && access && access.read !== null ? visible(target, access) : undefined;
        },
      });
      return resolve(parsed, {
        deadline,
        isReusable: !followsReferences,
        permitted: (of, condition) => permit(caller.access(of), 'read', condition),
      });
    });

  // Default filters are written by the operator, so they may use collections that the caller may not read.
  const parseDefaults = (collection: Collection, filter: JsonObject) => {
    // The registry makes a new list for each change.
    const collections = registry.list();
    const known = parsedDefaults.get(collection);
    if (known?.collections === collections) return known.parsed;
    const parsed = parseFresh(collection, filter);
    parsedDefaults.set(collection, { collections, parsed });
    return parsed;
  };

  const parseFresh = (collection: Collection, filter: JsonObject) => {
    const resolveTarget = referenceTarget.bind(undefined, registry);
    try {
      return parseFilter(filter, collection, { limits, resolveTarget });
    } catch (cause) {
      if (!(cause instanceof AppError)) throw cause;
      // Another specification has changed. It is no fault of the request, and what the filter hides must stay hidden.
      throw new AppError('DEFAULT_FILTERS_BROKEN', { cause });
    }
  };

  const compileOwn = (
    collection: Collection,
    { deadline }: Pick<RequestContext, 'deadline'>,
  ): MaybePromise<CompiledFilter> => {
    const { defaultFilters } = collection.settings;
    const own = ownDocuments(collection);
    if (defaultFilters === null) return own === MATCH_ALL ? EVERYTHING : { filter: own, isReusable: true };
    const resolving = attempt(() =>
      resolve(parseDefaults(collection, defaultFilters), { deadline, isReusable: true }),
    );
    return andThen(resolving, ({ filter, isReusable }) => ({
      filter: joinFilters([filter, own]),
      isReusable,
    }));
  };

  return {
    ownDocuments,
    isOwn: ({ version }, document) => !useVersionFilter || document['apiVersion'] === version,
    compile: (collection, requested, context, action) =>
      andThen(compileRequested(collection, requested, context), ({ filter }) => {
        const own = joinFilters([filter, ownDocuments(collection)]);
        const access = context.caller.access(collection);
        // What a caller may not read is not to be found by what a write by query changes.
        return permit(access, action, access.isRuled ? permit(access, 'read', own) : own);
      }),
    compileDefaults: (...args) => andThen(compileOwn(...args), toFilter),
    compileRead: (collection, filter, context) =>
      andThen(
        filter === undefined ? EVERYTHING : compileRequested(collection, filter, context),
        (requested) =>
          andThen(compileOwn(collection, context), (defaults) => ({
            filter: permit(
              context.caller.access(collection),
              'read',
              joinFilters([requested.filter, defaults.filter]),
            ),
            isReusable: requested.isReusable && defaults.isReusable,
          })),
      ),
  };
}

export interface ResolveOptions extends OperationOptions {
  readonly store: Pick<PermittedStore, 'find'>;
  /** What of the documents that match a condition the caller may read. Absent: the server itself asks. */
  readonly permitted?: (collection: Collection, condition: Filter) => PermittedFilter;
  /** What a collection shows of its namespace; everything unless given. */
  readonly ownDocuments?: FilterCompiler['ownDocuments'];
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
