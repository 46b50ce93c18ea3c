// Compiles filters for a store: parsed, checked against the caller's rights, and conditions on referenced documents
// replaced by conditions on ids. A filter means what it would mean if referenced documents stood in place of their ids.
import { AppError } from '../../errors/errors.ts';
import type { AccessAction } from '../../lib/access-actions.ts';
import { andThen, attempt, type MaybePromise } from '../../lib/async/maybe-promise.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { type Filter, joinFilters, MATCH_ALL } from '../../stores/filter.ts';
import {
  type PermittedFilter,
  type PermittedStore,
  permit,
  type VisibleCollection,
} from '../model/access.ts';
import { type Collection, type CollectionRegistry, referenceTarget } from '../model/collection.ts';
import type { DocumentLimits, RequestContext } from '../model/documents.ts';
import { parseFilter } from './parse.ts';
import { isResolved, type ParsedFilter } from './parsed-filter.ts';
import { type ResolveOptions, resolveReferenceConditions } from './resolve-references.ts';

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
  /**
   * Compiles a filter of a request on what may be revisions: it is up to the caller of this which of them it may find. Throws
   * FILTER_INVALID.
   */
  compileRequested(collection: Collection, filter: Json, context: RequestContext): MaybePromise<Filter>;
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
    useVersionFilter
      ? { kind: 'field', path: 'apiVersion', tests: [{ kind: 'eq', value: version }] }
      : MATCH_ALL;

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

  const parseAndResolve = (collection: Collection, filter: Json, { caller, deadline }: RequestContext) =>
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

  const compileDefaultsAndOwn = (
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

  const compileRequested: FilterCompiler['compileRequested'] = (collection, ...args) =>
    andThen(parseAndResolve(collection, ...args), ({ filter }) =>
      joinFilters([filter, ownDocuments(collection)]),
    );

  return {
    ownDocuments,
    isOwn: ({ version }, document) => !useVersionFilter || document['apiVersion'] === version,
    compileRequested,
    compile: (collection, requested, context, action) =>
      andThen(compileRequested(collection, requested, context), (own) => {
        const access = context.caller.access(collection);
        // What a caller may not read is not to be found by what a write by query changes.
        return permit(access, action, permit(access, 'findable', own));
      }),
    compileDefaults: (...args) => andThen(compileDefaultsAndOwn(...args), toFilter),
    compileRead: (collection, filter, context) =>
      andThen(filter === undefined ? EVERYTHING : parseAndResolve(collection, filter, context), (requested) =>
        andThen(compileDefaultsAndOwn(collection, context), (defaults) => ({
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
