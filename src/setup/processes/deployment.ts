// The part of the composition root for the other processes on the same database: this process among them, and the store whose
// commits rely on what it knows of them.
import { hostname } from 'node:os';
import { findOrCreateSecret } from '../../auth/auth-service.ts';
import type { Config } from '../../config/schema.ts';
import { CacheReach } from '../../deployment/cache-reach.ts';
import { DeploymentMember } from '../../deployment/deployment.ts';
import { createFencedStore, type FencedStore } from '../../deployment/fenced-store.ts';
import { SharedMarks } from '../../deployment/shared-marks.ts';
import { packageVersion } from '../../lib/files/package-files.ts';
import type { Logger } from '../../lib/logger.ts';
import { isSharedCache, openCacheStore } from '../../stores/open/cache-store.ts';
import { isEmbeddedDatabase, isSoleProcess } from '../../stores/open/document-store.ts';
import type { CacheStore, DocumentStore } from '../../stores/ports.ts';
import { createSharedLimits, type SharedLimits } from './shared-limits.ts';

/** Bound of one call of the database, in milliseconds: a look that takes longer tells nothing of now. */
const MAX_CALL_MS = 2000;

interface DeploymentDeps {
  readonly store: DocumentStore;
  /** Of this process: that of a document. */
  readonly id: string;
  /** Relative paths of the configuration start here. */
  readonly cwd: string;
  /** The cache of answers, if any. */
  readonly cache: CacheStore | undefined;
  /** What tells the key of the audit log from others; undefined for one that all share by themselves. */
  readonly auditKeyId: string | undefined;
  /** No other process of this machine serves the database yet. */
  readonly isFirst: boolean;
  readonly logger: Logger;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

interface OpenDeployment extends FencedStore {
  readonly deployment: DeploymentMember;
  /** Marks in a cache of answers that several processes share. */
  readonly cacheMarks: SharedMarks | undefined;
  readonly sharedLimits: SharedLimits;
  /** Closes what was opened here, not the cache of answers. */
  closeShared(): Promise<void>;
}

/** The cache that several processes share, whether or not answers are kept in it; undefined where there is none. */
async function openSharedCache(
  config: Config,
  { cache, cwd, now, logger: log }: DeploymentDeps,
): Promise<CacheStore | undefined> {
  if (isSoleProcess(config) || !isSharedCache(config.cache)) return undefined;
  return cache ?? openCacheStore(config.cache, { cwd, now, log });
}

/** Creates this process among those on its database. Nothing is read before `join`. */
export async function openDeployment(config: Config, deps: DeploymentDeps): Promise<OpenDeployment> {
  const { store, id, auditKeyId, cache, isFirst, logger, now } = deps;
  const { auth, media, database, limits, server, workspace } = config;
  const isSole = isSoleProcess(config);
  const clock = () => performance.now();
  const timeoutMs = Math.min(limits.queryMs, MAX_CALL_MS);
  const deployment = new DeploymentMember({
    store,
    id,
    timeoutMs,
    log: logger,
    now,
    isSole,
    startsAlone: isSole || (isFirst && isEmbeddedDatabase(database)),
    identity: {
      host: hostname(),
      address: `${server.host}:${server.port}`,
      version: packageVersion(),
    },
    settings: {
      'auth.tokenSecret': auth.tokenSecret,
      'auth.auditKey': auditKeyId,
      'media.tokenSecret': media.tokenSecret,
      'database.enableCollectionDatabases': String(database.enableCollectionDatabases),
      'workspace.store': workspace.store,
    },
    fingerprintKey: () => findOrCreateSecret('settings', { store, now, queryMs: limits.queryMs }),
    clock,
  });
  const fenced = createFencedStore(store, { fence: deployment, now, queryMs: limits.queryMs });
  const sharedCache = await openSharedCache(config, deps);
  const { marks, counts } = sharedCache ?? {};
  const reach = marks && new CacheReach({ marks, counts, member: deployment, log: logger });
  const sharedLimits = createSharedLimits(config, {
    shareOf: (limit) => deployment.shareOf(limit),
    shared: counts && reach && { counts, reach },
    clock,
  });
  const keepsAnswers = cache !== undefined && cache === sharedCache;
  const cacheMarks =
    keepsAnswers && marks && reach ? new SharedMarks({ marks, member: deployment, reach }) : undefined;
  return {
    deployment,
    cacheMarks,
    sharedLimits,
    settled: fenced.settled,
    store: cacheMarks?.around(fenced.store) ?? fenced.store,
    async closeShared() {
      reach?.close();
      if (!keepsAnswers) await sharedCache?.close();
    },
  };
}
