// Collects what admins see of the server: asks the database, which may be away, and reads counters and limits.
import type { Audit } from '../auth/audit/audit.ts';
import type { Config } from '../config/schema.ts';
import type { ServerReport } from '../http/core/server-report.ts';
import type { ByteQuota } from '../lib/async/concurrency.ts';
import { settleWithin } from '../lib/async/timeout.ts';
import type { SandboxStatus } from '../sandbox-supervisor/model/sandbox.ts';
import type { CacheStore, DocumentStore } from '../stores/ports.ts';
import type { MediaSetup } from './media.ts';
import type { Metrics } from './metrics.ts';

/** Milliseconds that the database has for each question. */
const MAX_WAIT_MS = 2000;
/** Milliseconds for which one report serves everybody who asks. */
const MAX_AGE_MS = 1000;

interface ServerReportDeps {
  readonly config: Pick<Config, 'database' | 'cache' | 'delivery' | 'limits'>;
  readonly store: Pick<DocumentStore, 'health' | 'status'>;
  readonly cache: Pick<CacheStore, 'isReachable'> | undefined;
  readonly audit: Pick<Audit, 'search' | 'pending'>;
  readonly unsentBytes: Pick<ByteQuota, 'used'>;
  readonly uploads: MediaSetup['uploads'];
  readonly sandboxStatus: () => Pick<SandboxStatus, 'calls'>;
  /** Undefined where nothing is counted. */
  readonly metrics: Pick<Metrics, 'caches' | 'images'> | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** What the promise resolves with, unless it rejects or takes too long. */
const answerOf = async <T>(asked: Promise<T>): Promise<T | undefined> => {
  try {
    return (await settleWithin(asked, MAX_WAIT_MS))?.value;
  } catch {
    return undefined;
  }
};

async function ping(store: Pick<DocumentStore, 'health'>): Promise<number | undefined> {
  const since = performance.now();
  return answerOf(store.health().then(() => performance.now() - since));
}

async function collect(deps: ServerReportDeps): Promise<ServerReport> {
  const { config, store, cache, audit, unsentBytes, metrics, now } = deps;
  const { limits, delivery } = config;
  const newest = audit.search({}, { newestFirst: true, limit: 1 }, { deadline: now() + MAX_WAIT_MS });
  const [pingMs, status, entries] = await Promise.all([
    ping(store),
    answerOf(store.status()),
    answerOf(newest),
  ]);
  const uploads = deps.uploads();
  const renderings = metrics?.images.queue() ?? { waiting: 0, running: 0 };
  return {
    store: {
      engine: config.database.engine,
      isReachable: pingMs !== undefined,
      pingMs: pingMs ?? null,
      bytes: status?.bytes ?? null,
    },
    queues: {
      calls: deps.sandboxStatus().calls,
      commits: status?.commits ?? null,
      renderings: {
        ...renderings,
        maxWaiting: delivery.render.queue,
        maxRunning: delivery.render.concurrency,
      },
    },
    caches: {
      responses: {
        engine: cache === undefined ? null : config.cache.engine,
        isReachable: cache?.isReachable() ?? true,
        lookups: metrics?.caches.lookups('responses') ?? null,
      },
      renderedImages: { lookups: metrics?.caches.lookups('variants') ?? null },
    },
    uploads: {
      ...uploads,
      maxRunning: limits.uploads,
      maxBytes: limits.stagedBytes,
    },
    unsentBytes: { used: unsentBytes.used(), max: limits.unsentBytes },
    audit: {
      entries: entries === undefined ? null : (entries[0]?.seq ?? 0),
      newestAt: entries?.[0]?.at ?? null,
      unwritten: audit.pending(),
    },
  };
}

/** Creates the function that tells how the server is. However many ask, the database is asked once a second. It never rejects. */
export function createServerReport(deps: ServerReportDeps): () => Promise<ServerReport> {
  let known: { readonly at: number; readonly report: Promise<ServerReport> } | undefined;
  return () => {
    const at = performance.now();
    if (known === undefined || at - known.at >= MAX_AGE_MS) known = { at, report: collect(deps) };
    return known.report;
  };
}
