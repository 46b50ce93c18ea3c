// The part of the composition root for routes and recipes: their files, and how the facts are found out that routes ask for.
import { resolve } from 'node:path';
import type { Config } from '../config/schema.ts';
import type { DefinitionKind } from '../delivery/definitions/definition.ts';
import { createDefinitionNames } from '../delivery/definitions/definition-names.ts';
import { createDefinitions, type Definitions } from '../delivery/definitions/definitions.ts';
import { createCountryDatabase } from '../delivery/lookups/country-database.ts';
import type { Lookup, LookupLog } from '../delivery/lookups/lookup.ts';
import { createRemoteLookup } from '../delivery/lookups/remote-lookup.ts';
import { createVisitorFactSources, type VisitorFactSources } from '../delivery/model/visitor-facts.ts';
import { RECIPE_KIND, type Recipe } from '../delivery/recipes/recipe.ts';
import { ROUTE_KIND, type Route } from '../delivery/routes/route.ts';
import { isStoreUnavailable, StoreError } from '../errors/errors.ts';
import { createRetrier, pause } from '../lib/async/retry.ts';
import { openCacheStore } from '../stores/open/cache-store.ts';
import type { CacheStore } from '../stores/ports.ts';
import type { DeliveryOptions } from './delivery-options.ts';

/** Size of the lookup cache if responses are not cached. */
const MAX_LOOKUP_BYTES = 16_777_216;

export interface OpenDefinitions {
  readonly routes: Definitions<Route>;
  readonly recipes: Definitions<Recipe>;
  readonly facts: VisitorFactSources;
  /** Throws an `unavailable` StoreError until routes and recipes have been read. */
  assertLoaded(): void;
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
  const { logger: log } = options;
  const { files: workspace, folders } = options.workspace;
  const names = createDefinitionNames();
  const definitionsOf = <T>(kind: DefinitionKind<T>, folder: string) =>
    createDefinitions({ kind, workspace, folder, names, log, coordination: options.deployment });
  return {
    routes: definitionsOf(ROUTE_KIND, folders.routes),
    recipes: definitionsOf(RECIPE_KIND, folders.recipes),
  };
}

interface Loading {
  assertLoaded(): void;
  close(): Promise<void>;
}

/** Loads at once, or in the background as soon as the database has been reached that holds the workspace. */
async function beginLoading(
  { workspace, started, isReady, logger }: DeliveryOptions,
  load: () => Promise<void>,
): Promise<Loading> {
  if (workspace.isReadableAtOnce) {
    await load();
    return { assertLoaded: () => undefined, close: async () => {} };
  }
  const closing = new AbortController();
  let isLoaded = false;
  const attempt = createRetrier<string>({
    async task() {
      try {
        await load();
        isLoaded = true;
      } catch (error) {
        if (isStoreUnavailable(error)) return false;
        logger.error({ err: error }, 'cannot load routes and recipes');
      }
      return true;
    },
    keyOf: (what) => what,
    onRetry: () => logger.warn({}, 'routes and recipes wait for the database'),
    pause,
    signal: closing.signal,
  });
  const loading = started.then(
    () => attempt('routes and recipes'),
    () => undefined,
  );
  if (isReady()) await loading;
  return {
    assertLoaded() {
      if (!isLoaded) throw new StoreError('unavailable');
    },
    async close() {
      closing.abort();
      // A start that is not complete may never be.
      if (isReady()) await loading;
    },
  };
}

interface LookupDeps {
  readonly settings: Pick<Config, 'geolocation' | 'network'>;
  /** Makes an absolute path of one that is relative to the run directory. */
  readonly resolve: (path: string) => string;
  readonly cache: CacheStore;
  readonly log: LookupLog;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Where nothing can be looked up, nothing is known. */
const UNKNOWN: Lookup = async () => undefined;

/** A row per value of the setting: the type names a method without one. */
const COUNTRY_LOOKUPS: Readonly<Record<Config['geolocation']['method'], (deps: LookupDeps) => Lookup>> = {
  maxmind({ settings: { geolocation }, resolve, log, now }) {
    const { countryDbPath } = geolocation;
    const file = countryDbPath === undefined ? undefined : resolve(countryDbPath);
    return createCountryDatabase({ file, log, now });
  },
  remote({ settings: { geolocation }, cache, log, now }) {
    const { url } = geolocation;
    if (url === undefined) {
      log.warn(
        { setting: 'geolocation.url' },
        'no country is known: `geolocation.method` is remote, without a URL',
      );
      return UNKNOWN;
    }
    return createRemoteLookup({ subject: 'country', settings: { ...geolocation, url }, cache, log, now });
  },
};

function countryLookup(deps: LookupDeps): Lookup {
  const { enabled, method } = deps.settings.geolocation;
  return enabled ? COUNTRY_LOOKUPS[method](deps) : UNKNOWN;
}

function networkLookup({ settings, cache, log, now }: LookupDeps): Lookup {
  const { url, ...others } = settings.network;
  if (url === undefined) return UNKNOWN;
  return createRemoteLookup({ subject: 'network', settings: { ...others, url }, cache, log, now });
}

/** Makes the lookups of country and connection type. Opens nothing before it is first asked. */
export function createLookups(deps: LookupDeps): { readonly country: Lookup; readonly network: Lookup } {
  return { country: countryLookup(deps), network: networkLookup(deps) };
}

/** Reads routes and recipes, which are watched from then on. Rejects when the folder of the lookup cache cannot be used. */
export async function openDefinitions(options: DeliveryOptions): Promise<OpenDefinitions> {
  const { config, cwd, logger, now, counts } = options;
  const lookupCache = await openLookupCache(options);
  const { routes, recipes } = createDefinitionsOf(options);
  const loading = await beginLoading(options, async () => {
    await routes.load();
    await recipes.load();
    await Promise.all([routes.watch(), recipes.watch()]);
  });
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
    assertLoaded: loading.assertLoaded,
    async close() {
      await loading.close();
      await Promise.all([routes.close(), recipes.close()]);
      await lookupCache.close();
    },
  };
}
