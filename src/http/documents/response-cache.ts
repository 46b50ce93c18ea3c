// Cache of responses to reads. Nothing is ever invalidated: a key holds the generations of the collections that the response
// was computed from, and a commit increments those that it changed, so that an outdated response is never found again.
import {
  type Collection,
  type CollectionRegistry,
  hasReadHooks,
  referenceFields,
  referenceTarget,
} from '../../collections/model/collection.ts';
import type { Caller } from '../../collections/model/documents.ts';
import type { DeploymentMember } from '../../deployment/deployment.ts';
import type { SharedMarks } from '../../deployment/shared-marks.ts';
import type { MaybePromise } from '../../lib/async/maybe-promise.ts';
import type { ChunkedText } from '../../lib/chunked-text.ts';
import type { CacheResult } from '../../metrics/cache-counts.ts';
import { type CacheStore, type DocumentStore, namespaceKey } from '../../stores/ports.ts';
import type { Query } from '../core/request-url.ts';

/** A whole response: JSON text, in pieces when it is long, and the `v` of the document when it is about one. */
export interface CachedResponse {
  readonly body: ChunkedText;
  readonly v?: number | undefined;
}

/** The parts of a request that its response depends on. */
interface CacheableRequest {
  readonly path: string;
  readonly query: Query;
  /** Names of unknown parameters, where the response names them. */
  readonly named: readonly string[];
}

/** The key of a response, and the namespaces that it is computed from. */
export interface CacheKey {
  readonly text: string;
  readonly spaces: readonly string[];
}

export interface ResponseCache {
  /** The key of a response, taken before the response is computed. Undefined: this collection is not cached. */
  cacheKey(collection: Collection, request: CacheableRequest, caller: Caller): CacheKey | undefined;
  /** The text of a key at this moment; undefined where nothing may be taken from the cache now, nor kept in it. */
  fullKey(key: CacheKey): Promise<string | undefined>;
  read(key: string): Promise<CachedResponse | undefined>;
  /** `since`: when its computation began, epoch milliseconds. */
  write(key: string, representation: CachedResponse, since: number): Promise<void>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Hears what came of each read through the cache. */
  readonly onResult?: ((result: CacheResult) => void) | undefined;
  /** Drops the responses of one collection by its path, with or without a slash at its end, or of all with `*`. */
  flush(path: string): Promise<void>;
}

/** A response that may be from the cache, and the headers that say so: `X-Cache` and `X-Cache-Lookup`. */
export interface CacheableResponse {
  readonly response: CachedResponse;
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads a response from the cache, else computes and stores it. With `bypass` one that is stored is not used, and stays. */
export async function readThroughCache(
  cache: ResponseCache,
  of: CacheKey,
  { bypass, compute }: { readonly bypass: boolean; readonly compute: () => MaybePromise<CachedResponse> },
): Promise<CacheableResponse> {
  const since = cache.now();
  const key = await cache.fullKey(of);
  if (key === undefined) {
    cache.onResult?.('bypass');
    return { response: await compute(), headers: { 'X-Cache': 'MISS', 'X-Cache-Lookup': 'MISS' } };
  }
  const stored = await cache.read(key);
  const isHit = stored !== undefined && !bypass;
  cache.onResult?.(isHit ? 'hit' : bypass ? 'bypass' : 'miss');
  const response = isHit ? stored : await compute();
  if (stored === undefined) await cache.write(key, response, since);
  const lookup = stored === undefined ? 'MISS' : 'HIT';
  return { response, headers: { 'X-Cache': isHit ? 'HIT' : 'MISS', 'X-Cache-Lookup': lookup } };
}

interface ResponseCacheDeps {
  readonly cache: CacheStore;
  readonly store: Pick<DocumentStore, 'onCommit'>;
  readonly registry: CollectionRegistry;
  /** Differs at every start: commits made while the server was down moved no generation. */
  readonly bootId: string;
  readonly ttlSeconds: number;
  /** The other processes on the same database. */
  readonly processes: Pick<DeploymentMember, 'isAlone' | 'membership' | 'announce' | 'onChange'>;
  /** Marks in a cache that all of them share; undefined where each has its own. */
  readonly marks: Pick<SharedMarks, 'read'> | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly onResult?: ResponseCache['onResult'];
}

/** What a response may be computed from. */
interface Reachable {
  readonly collections: readonly Collection[];
  /** Keys of their namespaces. */
  readonly spaces: readonly string[];
}

function referencedCollections(collection: Collection, registry: CollectionRegistry): readonly Collection[] {
  const found: Collection[] = [];
  for (const field of referenceFields(collection)) {
    const target = referenceTarget(registry, collection, field);
    if (target !== undefined) found.push(target);
  }
  return found;
}

/** The collection and all that its references lead to: filters and composition read these. */
function reachableCollections(collection: Collection, registry: CollectionRegistry): Reachable {
  const seen = new Set([collection]);
  for (const member of seen) {
    for (const target of referencedCollections(member, registry)) seen.add(target);
  }
  const collections = [...seen];
  return { collections, spaces: [...new Set(collections.map(({ namespace }) => namespaceKey(namespace)))] };
}

/** Equal for callers to whom a response would be the same. */
function visibilityKey({ collections }: Reachable, caller: Caller): string {
  return JSON.stringify(collections.map((collection) => caller.access(collection).readKey));
}

/** The parameters that shape the answer, in one order. */
function normalizeQuery({ query, named }: CacheableRequest): string {
  const pairs = [...query].filter(([name]) => name !== 'cache' && name !== 'callback');
  return JSON.stringify([...pairs.sort(([a], [b]) => (a < b ? -1 : 1)), ...named]);
}

/** Age of a response, in milliseconds, up to which it may miss what other processes have written. */
const MAX_SHARED_AGE_MS = 1000;

/** Makes the response cache. Create it once: it listens to the store for as long as the store lives. */
export function createResponseCache(deps: ResponseCacheDeps): ResponseCache {
  const { cache, store, registry, bootId, ttlSeconds, processes, marks, now } = deps;
  const generations = new Map<string, number>();
  const flushed = new Map<string, number>();
  const reachable = new Map<Collection, Reachable>();
  let live = registry.list();
  let epoch = 0;
  /** Number of flushes of everything: a response computed during one is stored under a key that is not used again. */
  let everything = 0;

  store.onCommit((changed) => {
    for (const namespace of changed) {
      const key = namespaceKey(namespace);
      generations.set(key, (generations.get(key) ?? 0) + 1);
    }
  });

  const reachableFrom = (collection: Collection): Reachable => {
    if (registry.list() !== live) {
      live = registry.list();
      epoch += 1;
      reachable.clear();
    }
    const known = reachable.get(collection) ?? reachableCollections(collection, registry);
    reachable.set(collection, known);
    return known;
  };

  const flush = async (path: string): Promise<void> => {
    if (path === '*') {
      everything += 1;
      return cache.clear();
    }
    const at = path.replace(/\/$/, '');
    const known = registry.list().some((collection) => collection.path === at);
    if (known) flushed.set(at, (flushed.get(at) ?? 0) + 1);
  };
  processes.onChange('responses', async (path) => {
    // Where it is not known what has changed, no response is found any more.
    if (path === undefined) everything += 1;
    else await flush(path);
  });

  return {
    onResult: deps.onResult,
    cacheKey(collection, request, caller) {
      if (!collection.settings.cache || hasReadHooks(collection)) return undefined;
      const read = reachableFrom(collection);
      const states = read.spaces.map((key) => generations.get(key) ?? 0);
      const flushes = flushed.get(collection.path) ?? 0;
      const text = [
        bootId,
        processes.membership(),
        epoch,
        everything,
        flushes,
        states,
        request.path,
        visibilityKey(read, caller),
        normalizeQuery(request),
      ].join('\n');
      return { text, spaces: read.spaces };
    },
    async fullKey({ text, spaces }) {
      if (marks === undefined || processes.isAlone()) return text;
      const found = await marks.read(spaces);
      return found && [...found, text].join('\n');
    },
    now,
    async read(key) {
      const entry = await cache.get(key);
      if (entry === undefined) return undefined;
      const [first = '', ...rest] = typeof entry === 'string' ? [entry] : entry;
      const end = first.indexOf('\n');
      const [v = '', since = '0'] = first.slice(0, end).split(' ');
      // What another process has written meanwhile is not known here.
      const isOld = Math.abs(now() - Number(since)) > MAX_SHARED_AGE_MS;
      if (isOld && marks === undefined && !processes.isAlone()) return undefined;
      const start = first.slice(end + 1);
      return { body: rest.length === 0 ? start : [start, ...rest], v: v === '' ? undefined : Number(v) };
    },
    write: (key, { body, v }, since) => {
      const head = `${v ?? ''} ${since}\n`;
      return cache.set(key, typeof body === 'string' ? head + body : [head, ...body], ttlSeconds * 1000);
    },
    async flush(path) {
      await flush(path);
      await processes.announce({ kind: 'responses', target: path });
    },
  };
}
