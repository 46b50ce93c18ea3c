// Filters of requests made ready for a store: read, held against the caller's rights, references looked up.
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { type Filter, MATCH_ALL } from '../../stores/filter.ts';
import type { DocumentStore } from '../../stores/ports.ts';
import type { Collection } from '../model/collection.ts';
import type { DocumentLimits, RequestContext } from '../model/documents.ts';
import { referenceTarget } from '../model/references.ts';
import type { Registry } from '../model/registry.ts';
import { parseFilter } from './parse.ts';
import type { ParsedFilter } from './parsed-filter.ts';
import { resolveReferences } from './resolve-references.ts';

export interface FilterCompiler {
  /** The filter of a request on its own. Throws FILTER_INVALID. */
  compile(collection: Collection, filter: Json, context: RequestContext): Promise<Filter>;
  /** What the collection's default filters ask for; everything where it has none. */
  compileDefaults(collection: Collection, context: Pick<RequestContext, 'deadline'>): Promise<Filter>;
  /** What a read must match: the request's filter, where there is one, and the collection's default filters. */
  compileRead(
    collection: Collection,
    filter: JsonObject | undefined,
    context: RequestContext,
  ): Promise<Filter>;
}

interface FilterCompilerDeps {
  readonly store: Pick<DocumentStore, 'find'>;
  readonly registry: Pick<Registry, 'get'>;
  readonly limits: Pick<DocumentLimits, 'filterDepth' | 'filterNodes' | 'composeReferences'>;
}

export function createFilterCompiler({ store, registry, limits }: FilterCompilerDeps): FilterCompiler {
  // Collections are swapped whole when their specification changes, so a draft lives as long as its collection.
  const defaults = new WeakMap<Collection, ParsedFilter>();
  const maxReferences = limits.composeReferences;

  const settle = (draft: ParsedFilter, { deadline }: Pick<RequestContext, 'deadline'>) =>
    resolveReferences(draft, { store, maxReferences, deadline });

  const draftOf = (collection: Collection, filter: Json, { caller }: RequestContext) =>
    parseFilter(filter, collection, {
      limits,
      resolveTarget(from, field) {
        const target = referenceTarget(registry, from, field);
        return target !== undefined && caller.may(target, 'GET') ? target : undefined;
      },
    });

  // The operator wrote them, so they may lead through collections that the caller may not read.
  const defaultDraft = (collection: Collection, filter: JsonObject) => {
    const known = defaults.get(collection);
    if (known !== undefined) return known;
    const target = referenceTarget.bind(undefined, registry);
    const draft = parseFilter(filter, collection, { limits, resolveTarget: target });
    defaults.set(collection, draft);
    return draft;
  };

  const compileDefaults: FilterCompiler['compileDefaults'] = async (collection, context) => {
    const { defaultFilters } = collection.settings;
    return defaultFilters === null ? MATCH_ALL : settle(defaultDraft(collection, defaultFilters), context);
  };

  return {
    compileDefaults,
    compile: async (collection, filter, context) => settle(draftOf(collection, filter, context), context),
    async compileRead(collection, filter, context) {
      const { defaultFilters } = collection.settings;
      if (filter === undefined && defaultFilters === null) return MATCH_ALL;
      const asked = filter && (await settle(draftOf(collection, filter, context), context));
      return joinFilters([asked, await compileDefaults(collection, context)]);
    },
  };
}

/** All of the filters that there are. */
export function joinFilters(filters: readonly (Filter | null | undefined)[]): Filter {
  const present: Filter[] = [];
  for (const filter of filters) if (filter && filter !== MATCH_ALL) present.push(filter);
  const [only] = present;
  if (only === undefined) return MATCH_ALL;
  return present.length === 1 ? only : { kind: 'and', filters: present };
}
