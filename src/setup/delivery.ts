// The part of the composition root for delivery: routes, recipes, sources, images, and its HTTP server.
import { resolve } from 'node:path';
import { createFileReader } from '../auth/access/callers.ts';
import type { Collection, CollectionRegistry } from '../collections/model/collection.ts';
import type { RecordService, RequestContext } from '../collections/model/documents.ts';
import type { Config } from '../config/schema.ts';
import { createVisitorFactSources } from '../delivery/conditions/visitor-facts.ts';
import type { DefinitionKind } from '../delivery/definitions/definition.ts';
import { createDefinitionNames } from '../delivery/definitions/definition-names.ts';
import { createDefinitions } from '../delivery/definitions/definitions.ts';
import type { DeliverDeps } from '../delivery/deliver.ts';
import type { VariantService } from '../delivery/images/variant-service.ts';
import { createLookups } from '../delivery/lookups/configured-lookups.ts';
import type { OriginalSource } from '../delivery/model/delivery-types.ts';
import { RECIPE_KIND } from '../delivery/recipes/recipe.ts';
import { parseCacheControlByType } from '../delivery/responses/cache-headers.ts';
import { decideRoute, explainRoute } from '../delivery/routes/decide-route.ts';
import { ROUTE_KIND } from '../delivery/routes/route.ts';
import { createDirectorySource, createFallbackFileFinder } from '../delivery/sources/directory-source.ts';
import { createBucketSource, createMediaSource } from '../delivery/sources/media-source.ts';
import { createRemoteSource } from '../delivery/sources/remote-source.ts';
import { createSourceChain } from '../delivery/sources/source-chain.ts';
import { AppError } from '../errors/errors.ts';
import type { SharedHttpDeps } from '../http/delivery/delivery-deps.ts';
import { createDeliveryServer } from '../http/delivery/delivery-server.ts';
import { createHostResolver, type HostResolver } from '../lib/egress/destination.ts';
import type { Logger } from '../lib/logger.ts';
import { createPublicRecords } from '../media/public-records.ts';
import type { MediaStore } from '../stores/media-store.ts';
import { openCacheStore } from '../stores/open/cache-store.ts';
import type { CacheStore } from '../stores/ports.ts';
import type { Metrics } from './metrics.ts';

/** Size of the lookup cache if responses are not cached. */
const MAX_LOOKUP_BYTES = 16_777_216;

/** Statuses of answers that never have a body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Collections that a line of the log names. */
const MAX_NAMED = 20;

interface DeliveryOptions extends Omit<SharedHttpDeps, 'config' | 'logger'> {
  readonly config: Config;
  /** Relative paths of the configuration start here. */
  readonly cwd: string;
  readonly logger: Logger;
  /** That of answers, which keeps lookups too; undefined where answers are not cached. */
  readonly cache: CacheStore | undefined;
  readonly mediaStore: Pick<MediaStore, 'keyOf' | 'pathOf' | 'stat' | 'read'> | undefined;
  readonly registry: CollectionRegistry;
  readonly records: RecordService;
  /** Undefined where nothing is counted. */
  readonly counts?: Pick<Metrics, 'caches' | 'images'> | undefined;
  /** Names of other web servers to addresses: the system's unless given. */
  readonly names?: HostResolver;
  /** Used in place of what the configuration says. */
  readonly images?: () => Promise<VariantService>;
}

export interface DeliverySetup {
  /** For requests without a socket. */
  readonly server: ReturnType<typeof createDeliveryServer>;
  close(): Promise<void>;
}

/** Work that is done once, when somebody first needs it; again where it failed. */
function lazily<T>(work: () => Promise<T>): { get(): Promise<T>; started(): Promise<T> | undefined } {
  let promise: Promise<T> | undefined;
  return {
    get() {
      promise ??= work().catch((error: unknown) => {
        promise = undefined;
        throw error;
      });
      return promise;
    },
    started: () => promise,
  };
}

/** Rendering and buckets are loaded on first use: a start needs neither. */
const imageSetup = () => import('./images.ts');

/** The media store as a source: of files that the content API gives to everybody. */
function openMediaSource(options: DeliveryOptions): OriginalSource | undefined {
  const { config, mediaStore: store, registry, records, store: documents, logger, now } = options;
  if (!config.images.media.enabled || store === undefined) return undefined;
  const caller = createFileReader(options.createCaller(null), config.media);
  const mayRead = (collection: Collection) => caller.access(collection).read !== null;
  const closed = registry.list().filter((collection) => collection.settings.media && !mayRead(collection));
  if (closed.length > 0) {
    const collections = closed.slice(0, MAX_NAMED).map(({ path }) => path);
    const message = 'files of these media collections are not delivered: reading them needs a token';
    logger.info({ collections, count: closed.length }, message);
  }
  const createContext = (url: string): RequestContext => ({
    caller,
    deadline: now() + config.limits.queryMs,
    origin: { requestId: '', client: null, http: { method: 'GET', url, headers: {}, ip: '' } },
  });
  const deps = { records, registry, store, documents, mayRead, createContext, now };
  return createMediaSource(store, createPublicRecords(deps));
}

/** The prefix of uploaded files in the bucket of originals, where they are in the same bucket. */
function uploadsIn({ images, media }: Config, store: DeliveryOptions['mediaStore']): string | undefined {
  const isSame = (['bucketName', 'endpoint'] as const).every((name) => images.s3[name] === media.s3[name]);
  return isSame && media.storage === 's3' ? store?.pathOf('x').slice(0, -1) : undefined;
}

/** The sources that the configuration names, in the order in which they are asked. */
async function openSources(options: DeliveryOptions): Promise<{
  readonly source: OriginalSource;
  close(): Promise<void>;
}> {
  const { config, cwd, logger, now } = options;
  const { directory, s3 } = config.images;
  const media = openMediaSource(options);
  const bucket = s3.enabled ? (await imageSetup()).openBucket(s3, { prefix: '', logger, now }) : undefined;
  const sources = [
    ...(directory.enabled ? [createDirectorySource(resolve(cwd, directory.path))] : []),
    ...(media === undefined ? [] : [media]),
    ...(bucket === undefined ? [] : [createBucketSource(bucket, uploadsIn(config, options.mediaStore))]),
  ];
  return { source: createSourceChain(sources), close: async () => bucket?.close() };
}

function openRemote({ config, names = createHostResolver(), now }: DeliveryOptions) {
  const { enabled, allow, allowPrivateAddresses, seconds } = config.images.remote;
  const { maxSourceBytes: maxBytes } = config.delivery.render;
  if (!enabled) return undefined;
  return createRemoteSource({ allow, allowPrivateAddresses, seconds, maxBytes, names, now });
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
    createDefinitions({ kind, folder: folderOf(folder), names, log });
  return {
    routes: definitionsOf(ROUTE_KIND, config.paths.routes),
    recipes: definitionsOf(RECIPE_KIND, config.paths.recipes),
  };
}

/** Puts delivery together and reads routes and recipes, which are watched from then on. Nothing listens yet. */
export async function createDelivery(options: DeliveryOptions): Promise<DeliverySetup> {
  const { config, cwd, logger, now } = options;
  if (WITHOUT_BODY.has(config.notFound.statusCode)) {
    const message = 'notFound.statusCode must be a status of answers that have a body';
    throw new AppError('CONFIGURATION_INVALID', { field: 'notFound.statusCode', message });
  }
  const { routes, recipes } = createDefinitionsOf(options);
  await routes.load();
  await recipes.load();
  await Promise.all([routes.watch(), recipes.watch()]);

  const lookupCache = await openLookupCache(options);
  const lookups = createLookups({
    settings: config,
    resolve: (path) => resolve(cwd, path),
    cache: options.counts?.caches.around(lookupCache.cache, 'lookups') ?? lookupCache.cache,
    log: logger,
    now,
  });
  const facts = createVisitorFactSources(lookups);
  const sources = await openSources(options);
  const images = lazily(
    options.images ??
      (async () => (await imageSetup()).openImages({ ...options, counts: options.counts?.images })),
  );
  const { enabled, path } = config.notFound.images;
  const standInStatus = config.notFound.statusCode;

  const deliver: DeliverDeps = {
    routes: {
      decide(name, visitor) {
        const route = routes.get(name);
        return route === undefined ? undefined : decideRoute(route.value, visitor, facts);
      },
    },
    recipes: {
      find(name) {
        const recipe = recipes.get(name);
        return recipe === undefined ? undefined : { ...recipe.value, name: recipe.name };
      },
    },
    images: images.get,
    source: sources.source,
    remote: openRemote(options),
    fallback: createFallbackFileFinder(enabled ? resolve(cwd, path) : undefined),
    standInStatus,
    cacheControl: config.delivery.cacheControl,
    cacheControlByType: parseCacheControlByType(config.delivery.cacheControlByType),
  };
  const server = createDeliveryServer({
    ...options,
    deliver,
    routes,
    recipes,
    explain(name, visitor) {
      const route = routes.get(name);
      return route === undefined ? undefined : explainRoute(route, visitor, facts);
    },
    flush: async (pattern, names) => (await images.get()).flush(pattern, names),
  });
  await server.ready();

  return {
    server,
    async close() {
      await server.close();
      await Promise.all([routes.close(), recipes.close()]);
      await (await images.started())?.close();
      await sources.close();
      await lookupCache.close();
    },
  };
}
