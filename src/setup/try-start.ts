// What a start with another configuration would open, so that a change that breaks the next start is rejected.
import { isDeepStrictEqual } from 'node:util';
import { assertFolders } from '../config/folder-check.ts';
import type { Config } from '../config/schema.ts';
import { AppError } from '../errors/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { openResponseCache } from '../stores/open/cache-store.ts';
import { loadConfiguredPolicyLimits } from './posted-code.ts';

export interface StartEnvironment {
  readonly cwd: string;
  readonly logger: Logger;
  readonly now: () => number;
}

/**
 * Returns the function that opens what a start with a posted configuration would open, so that a change which would break
 * the next start is rejected. It throws CONFIGURATION_INVALID.
 */
export function createTryStart(running: Config, environment: StartEnvironment, configFile: string) {
  const { cwd, now, logger } = environment;
  return async (next: Config): Promise<void> => {
    await assertFolders(next, { cwd, configFile });
    await loadConfiguredPolicyLimits(next, cwd);
    const cacheOf = ({ cache: { enabled, engine, path } }: Config) => ({ enabled, engine, path });
    // The running server has the same cache open.
    if (isDeepStrictEqual(cacheOf(next), cacheOf(running))) return;
    const cache = await openResponseCache(next.cache, { cwd, now, log: logger }).catch((cause: unknown) => {
      const message = 'the folder of the cache cannot be opened';
      throw new AppError('CONFIGURATION_INVALID', { field: 'cache.path', message, cause });
    });
    await cache?.close();
  };
}
