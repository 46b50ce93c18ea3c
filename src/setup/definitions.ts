// The part of the composition root for routes and recipes: their files, and how the facts are found out that routes ask for.
import { resolve } from 'node:path';
import { createVisitorFactSources, type VisitorFactSources } from '../delivery/conditions/visitor-facts.ts';
import type { DefinitionKind } from '../delivery/definitions/definition.ts';
import { createDefinitionNames } from '../delivery/definitions/definition-names.ts';
import { createDefinitions, type Definitions } from '../delivery/definitions/definitions.ts';
import { createLookups } from '../delivery/lookups/configured-lookups.ts';
import { RECIPE_KIND, type Recipe } from '../delivery/recipes/recipe.ts';
import { ROUTE_KIND, type Route } from '../delivery/routes/route.ts';
import { openCacheStore } from '../stores/open/cache-store.ts';
import type { DeliveryOptions } from './delivery-options.ts';

/** Size of the lookup cache if responses are not cached. */
const MAX_LOOKUP_BYTES = 16_777_216;

export interface OpenDefinitions {
  readonly routes: Definitions<Route>;
  readonly recipes: Definitions<Recipe>;
  readonly facts: VisitorFactSources;
  close(): Promise<void>;
}

/**
 * The cache of lookups: that of answers, or one of the same engine where answers are not cached. Rejects when its folder
 * cannot be used.
 */
async function openLookupCache({ config, cwd, cache, logger, now }: DeliveryOptions) {
  if (cache !== undefined) return { cache, close: async () => {} };
  const { geolocation, network } = config;
  const asksService = network.url !== undefined || (geolocation.enabled && geolocation.method === 'remote');
  const engine = asksService ? config.cache.engine : 'memory';
  const settings = { ...config.cache, engine, maxBytes: MAX_LOOKUP_BYTES };
  const own = await openCacheStore(settings, { cwd, now, log: logger });
  return { cache: own, close: () => own.close() };
}

function createDefinitionsOf(options: DeliveryOptions) {
  const { config, cwd, logger: log } = options;
  const names = createDefinitionNames();
  const folderOf = (folder: string) => resolve(cwd, config.workspace.path, folder);
  const definitionsOf = <T>(kind: DefinitionKind<T>, folder: string) =>
    createDefinitions({ kind, folder: folderOf(folder), names, log, coordination: options.deployment });
  return {
    routes: definitionsOf(ROUTE_KIND, config.paths.routes),
    recipes: definitionsOf(RECIPE_KIND, config.paths.recipes),
  };
}

/** Reads routes and recipes, which are watched from then on. Rejects when the folder of the lookup cache cannot be used. */
export async function openDefinitions(options: DeliveryOptions): Promise<OpenDefinitions> {
  const { config, cwd, logger, now, counts } = options;
  const lookupCache = await openLookupCache(options);
  const { routes, recipes } = createDefinitionsOf(options);
  await routes.load();
  await recipes.load();
  await Promise.all([routes.watch(), recipes.watch()]);
  const lookups = createLookups({
    settings: config,
    resolve: (path) => resolve(cwd, path),
    cache: counts?.caches.around(lookupCache.cache, 'lookups') ?? lookupCache.cache,
    log: logger,
    now,
  });
  return {
    routes,
    recipes,
    facts: createVisitorFactSources(lookups),
    async close() {
      await Promise.all([routes.close(), recipes.close()]);
      await lookupCache.close();
    },
  };
}
