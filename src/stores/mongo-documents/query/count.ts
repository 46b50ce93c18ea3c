// `count` of the store: exact, by the server if it can evaluate the filter, otherwise by a scan.
import type { Filter } from '../../filter.ts';
import type { DocumentStore, Namespace } from '../../ports.ts';
import { retryRead } from '../connection/retry.ts';
import type { IndexCache, MongoConnection, OperationScope } from '../connection/types.ts';
import { deduplicateLists } from '../filters/long-lists.ts';
import { translateFilter } from '../filters/translate.ts';
import { countIgnoringCase } from './case-insensitive-find.ts';
import type { CollationStatistics } from './collation-statistics.ts';
import { createMongoCountCache } from './count-cache.ts';
import { countDocuments } from './cursor.ts';
import { findNonJsonTypes } from './non-json-paths.ts';
import type { QueryCosts } from './query-costs.ts';
import { shapeOfCount } from './query-shape.ts';
import { rethrowFilterTooLarge } from './read-command.ts';
import { countScanned } from './residual-scan.ts';
import type { SpellingCache } from './spelling-cache.ts';
import type { TypeProbe } from './type-probe.ts';

interface CountDeps {
  readonly connection: MongoConnection;
  readonly indexes: IndexCache;
  readonly statistics: CollationStatistics;
  readonly spellingCache: SpellingCache;
  readonly costs: QueryCosts;
  readonly typeProbe: TypeProbe;
}

/** Creates the `count` of the store. */
export function createCount(
  deps: CountDeps,
): (...args: Parameters<DocumentStore['count']>) => Promise<number> {
  const { connection, indexes, statistics, spellingCache, costs, typeProbe } = deps;
  const cache = createMongoCountCache(() => performance.now());

  const countNow = async (scope: OperationScope, ns: Namespace, filter: Filter): Promise<number> => {
    const nonJsonAt = await findNonJsonTypes(scope, { ns, filter, typeProbe });
    const translated = translateFilter(filter, {
      collated: false,
      ...(nonJsonAt !== undefined && { nonJsonAt }),
    });
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
