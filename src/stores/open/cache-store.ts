// Opens the cache that the configuration names.
import { resolve } from 'node:path';
import { createLogThrottle } from '../../lib/logger.ts';
import { openDiskCache } from '../disk-cache.ts';
import { createMemoryCache } from '../memory-cache.ts';
import type { CacheStore } from '../ports.ts';
import { openRedisCache } from '../redis-cache.ts';

const LOG_INTERVAL_MS = 60_000;

/** The `cache` block of the configuration. */
export interface CacheSettings {
  readonly engine: 'memory' | 'filesystem' | 'redis';
  readonly path: string;
  readonly maxBytes: number;
  readonly redis: { readonly url?: string | undefined; readonly timeoutMs: number };
}

interface CacheDeps {
  /** Relative paths start here. */
  readonly cwd: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: { warn(fields: object, message: string): void };
}

/** Whether several processes share what is kept: a row per value of the setting. */
const IS_SHARED: Readonly<Record<CacheSettings['engine'], boolean>> = {
  memory: false,
  filesystem: false,
  redis: true,
};

/** Whether the processes of a deployment share the cache that the configuration names. */
export const isSharedCache = ({ engine }: Pick<CacheSettings, 'engine'>): boolean => IS_SHARED[engine];

/** Opens the cache of answers; undefined where answers are not cached (`cache.enabled`). Rejects like `openCacheStore`. */
export async function openResponseCache(
  settings: CacheSettings & { readonly enabled: boolean },
  deps: CacheDeps,
): Promise<CacheStore | undefined> {
  return settings.enabled ? openCacheStore(settings, deps) : undefined;
}

/** Opens the cache. Rejects if its folder cannot be used. Connects to Redis in the background. */
export async function openCacheStore(settings: CacheSettings, deps: CacheDeps): Promise<CacheStore> {
  return OPENERS[settings.engine](settings, deps);
}

type Opener = (settings: CacheSettings, deps: CacheDeps) => Promise<CacheStore> | CacheStore;

/** A row per value of the setting: the type names an engine without one. */
const OPENERS: Readonly<Record<CacheSettings['engine'], Opener>> = {
  memory: ({ maxBytes }, { now }) => createMemoryCache({ maxBytes, now }),
  filesystem: ({ maxBytes, path }, { cwd, now }) =>
    openDiskCache({ folder: resolve(cwd, path), maxBytes, now }),
  redis: openRedis,
};

function openRedis(
  { maxBytes, redis }: CacheSettings,
  { now, log }: CacheDeps,
): Promise<CacheStore> | CacheStore {
  if (redis.url === undefined) throw new Error('cache.redis.url is missing');
  const allowLine = createLogThrottle({ everyMs: LOG_INTERVAL_MS, now });
  return openRedisCache({
    url: redis.url,
    timeoutMs: redis.timeoutMs,
    maxEntryBytes: maxBytes,
    now,
    onError: (error) => {
      const line = allowLine('redis');
      const code = Reflect.get(error, 'code') ?? error.name;
      if (line !== undefined) log.warn({ code, ...line }, 'Redis unavailable: responses are not cached');
    },
  });
}
