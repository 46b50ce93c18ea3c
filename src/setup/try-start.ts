// What a start with another configuration would open, so that a change that breaks the next start is rejected; and the cache of
// answers.
import { isDeepStrictEqual } from 'node:util';
import { assertFolders } from '../config/folder-check.ts';
import type { Config } from '../config/schema.ts';
import { AppError } from '../errors/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { openCacheStore } from '../stores/open/cache-store.ts';
import type { CacheStore } from '../stores/ports.ts';
import { loadConfiguredPolicyLimits } from './posted-code.ts';

export interface StartEnvironment {
  readonly cwd: string;
  readonly logger: Logger;
  readonly now: () => number;
}

/** Opens the cache of answers; undefined where answers are not cached. */
export async function openCache(
  config: Config,
  { cwd, now, logger }: StartEnvironment,
): Promise<CacheStore | undefined> {
  if (!config.cache.enabled) return undefined;
  return openCacheStore(config.cache, { cwd, now, log: logger });
}

/**
 * Returns the function that opens what a start with a posted configuration would open, so that a change which would break
 * the next start is rejected. It throws CONFIGURATION_INVALID.
 */
export function createTryStart(running: Config, environment: StartEnvironment, configFile: string) {
  return async (next: Config): Promise<void> => {
    await assertFolders(next, { cwd: environment.cwd, configFile });
    await loadConfiguredPolicyLimits(next, environment.cwd);
    const cacheOf = ({ cache: { enabled, engine, path } }: Config) => ({ enabled, engine, path });
    // The running server has the same cache open.
    if (isDeepStrictEqual(cacheOf(next), cacheOf(running))) return;
    const cache = await openCache(next, environment).catch((cause: unknown) => {
      const message = 'the folder of the cache cannot be opened';
      throw new AppError('CONFIGURATION_INVALID', { field: 'cache.path', message, cause });
    });
    await cache?.close();
  };
}
