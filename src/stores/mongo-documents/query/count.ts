// `count` of the store: exact, by the server if it can evaluate the filter, otherwise by a scan. Slow counts are cached until
// anything is written to the deployment. The server's own number of documents is no substitute: it includes uncommitted writes
// and is wrong after a crash.

import { LRUCache } from 'lru-cache';
import type { Filter } from '../../filter.ts';
import type { DocumentStore, Namespace } from '../../ports.ts';
import { retryRead } from '../connection/retry.ts';
import type { IndexCache, MongoConnection, OperationScope } from '../connection/types.ts';
import { deduplicateLists, hasLongList } from '../filters/long-lists.ts';
import type { CollationStatistics, SpellingCache } from './case-insensitive-cache.ts';
import { countIgnoringCase } from './case-insensitive-find.ts';
import type { FilterTranslator } from './non-json-paths.ts';
import { type QueryCosts, shapeOfCount } from './query-costs.ts';
import { countDocuments, operationTimeOf, rethrowFilterTooLarge, runRead } from './read-command.ts';
import { countScanned } from './residual-find.ts';

export interface MongoCountCache {
  /** What `count` gives, or gave while the documents were the same. */
  getOrCount(
    scope: OperationScope,
    wanted: { ns: Namespace; filter: Filter },
    count: () => Promise<number>,
  ): Promise<number>;
}

interface CachedCount {
  readonly count: number;
  /** Operation time of the count; undefined if anything was written during it. */
  readonly time: bigint | undefined;
}

const MAX_COUNTS = 2000;
const MAX_KEY_CHARACTERS = 4096;

/** Checking for writes costs a round trip: counts that take fewer milliseconds are not cached. */
const COSTLY_MS = 10;

/** Creates an empty cache. `now` returns milliseconds. */
export function createMongoCountCache(now: () => number): MongoCountCache {
  const counts = new LRUCache<string, CachedCount>({ max: MAX_COUNTS });

  return {
    async getOrCount(scope, { ns, filter }, count) {
      // Other deployments return no operation time, or that of one of several shards.
      if (scope.deployment.kind !== 'replica set' || hasLongList(filter)) return count();
      const key = JSON.stringify([ns.database, ns.collection, filter]);
      if (key.length > MAX_KEY_CHARACTERS) return count();
      const known = counts.get(key);
      const before = known === undefined ? undefined : await lastWriteTime(scope, ns);
      if (known !== undefined && before !== undefined && known.time === before) return known.count;
      const began = now();
      const found = await count();
      if (now() - began < COSTLY_MS) {
        counts.delete(key);
        return found;
      }
      const isStill = before !== undefined && before === (await lastWriteTime(scope, ns));
      counts.set(key, { count: found, time: isStill ? before : undefined });
      return found;
    },
  };
}

/** Operation time of the last majority write to any collection: a read that begins now sees this state. */
async function lastWriteTime(scope: OperationScope, ns: Namespace): Promise<bigint | undefined> {
  const { collectionName } = scope.collection(ns);
  const nothing = { find: collectionName, filter: { _id: { $in: [] } }, limit: 1, singleBatch: true };
  return operationTimeOf(await runRead(scope, ns, nothing));
}

interface CountDeps {
  readonly connection: MongoConnection;
  readonly indexes: IndexCache;
  readonly statistics: CollationStatistics;
  readonly spellingCache: SpellingCache;
  readonly costs: QueryCosts;
  readonly translator: FilterTranslator;
}

/** Creates the `count` of the store. */
export function createCount(
  deps: CountDeps,
): (...args: Parameters<DocumentStore['count']>) => Promise<number> {
  const { connection, indexes, statistics, spellingCache, costs, translator } = deps;
  const cache = createMongoCountCache(() => performance.now());

  const countNow = async (scope: OperationScope, ns: Namespace, filter: Filter): Promise<number> => {
    const translated = await translator.translate(scope, ns, filter);
    if (!translated.exact) return countScanned(scope, { ns, filter, translated });
    const query = { ns, filter, known: indexes.of(ns), statistics, spellingCache };
    const count = await countIgnoringCase(scope, query);
    return count ?? countDocuments(scope, { ns, query: translated.query });
  };

  return async (ns, requested, options = {}) => {
    const deduplicated = deduplicateLists(requested);
    const filter = deduplicated === requested ? requested : await deduplicated;
    const shape = shapeOfCount(ns, filter, indexes.of(ns));
    const operationClass = () => costs.classOf(shape);
    const count = async (scope: OperationScope) => {
      const began = performance.now();
      try {
        return await retryRead(scope, () =>
          cache.getOrCount(scope, { ns, filter }, () => countNow(scope, ns, filter)),
        );
      } finally {
        costs.record(shape, { ms: performance.now() - began, bytes: 0, documents: 0 });
      }
    };
    return connection.run({ ...options, operationClass }, count).catch(rethrowFilterTooLarge);
  };
}
