// Filters of requests made ready for a store: read, held against the caller's rights, references looked up.
import type { Json, JsonObject } from '../../lib/json.ts';
import { EVERYTHING, type Filter } from '../../stores/filter.ts';
import type { DocumentStore } from '../../stores/ports.ts';
import type { Collection } from '../collection.ts';
import type { Context, DocumentLimits } from '../documents.ts';
import { referenceTarget } from '../references.ts';
import type { Registry } from '../registry.ts';
import type { Draft } from './draft.ts';
import { settleFilter } from './lookups.ts';
import { parseFilter } from './parse.ts';

export interface FilterCompiler {
  /** The filter of a request on its own. Throws FILTER_INVALID. */
  compile(collection: Collection, filter: Json, context: Context): Promise<Filter>;
  /** What the collection's default filters ask for; everything where it has none. */
  compileDefaults(collection: Collection, context: Pick<Context, 'deadline'>): Promise<Filter>;
  /** What a read must match: the request's filter, where there is one, and the collection's default filters. */
  compileRead(collection: Collection, filter: JsonObject | undefined, context: Context): Promise<Filter>;
}

interface CompilerOptions {
  readonly store: Pick<DocumentStore, 'find'>;
  readonly registry: Pick<Registry, 'get'>;
  readonly limits: Pick<DocumentLimits, 'filterDepth' | 'filterNodes' | 'composeReferences'>;
}

export function createFilterCompiler({ store, registry, limits }: CompilerOptions): FilterCompiler {
  // Collections are swapped whole when their specification changes, so a draft lives as long as its collection.
  const defaults = new WeakMap<Collection, Draft>();
  const maxReferences = limits.composeReferences;

  const settle = (draft: Draft, { deadline }: Pick<Context, 'deadline'>) =>
    settleFilter(draft, { store, maxReferences, deadline });

  const draftOf = (collection: Collection, filter: Json, { caller }: Context) =>
    parseFilter(filter, collection, {
      limits,
      target(from, field) {
        const target = referenceTarget(registry, from, field);
        return target !== undefined && caller.may(target, 'GET') ? target : undefined;
      },
    });

  // The operator wrote them, so they may lead through collections that the caller may not read.
  const defaultDraft = (collection: Collection, filter: JsonObject) => {
    const known = defaults.get(collection);
    if (known !== undefined) return known;
    const target = referenceTarget.bind(undefined, registry);
    const draft = parseFilter(filter, collection, { limits, target });
    defaults.set(collection, draft);
    return draft;
  };

  const compileDefaults: FilterCompiler['compileDefaults'] = async (collection, context) => {
    const { defaultFilters } = collection.settings;
    return defaultFilters === null ? EVERYTHING : settle(defaultDraft(collection, defaultFilters), context);
  };

  return {
    compileDefaults,
    compile: async (collection, filter, context) => settle(draftOf(collection, filter, context), context),
    async compileRead(collection, filter, context) {
      const { defaultFilters } = collection.settings;
      if (filter === undefined && defaultFilters === null) return EVERYTHING;
      const asked = filter && (await settle(draftOf(collection, filter, context), context));
      return joinFilters([asked, await compileDefaults(collection, context)]);
    },
  };
}

/** All of the filters that there are. */
export function joinFilters(filters: readonly (Filter | null | undefined)[]): Filter {
  const present: Filter[] = [];
  for (const filter of filters) if (filter && filter !== EVERYTHING) present.push(filter);
  const [only] = present;
  if (only === undefined) return EVERYTHING;
  return present.length === 1 ? only : { kind: 'and', filters: present };
}
