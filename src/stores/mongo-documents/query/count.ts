// Counts documents, exactly.
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

/** Makes the `count` of the store. */
export function createCount({
  connection,
  indexes,
  statistics,
  spellingCache,
  costs,
  typeProbe,
}: CountDeps): DocumentStore['count'] {
  const counts = createMongoCountCache(() => performance.now());
  const counted = async (scope: OperationScope, ns: Namespace, filter: Filter) => {
    const nonJsonAt = await findNonJsonTypes(scope, { ns, filter, typeProbe });
    const translated = translateFilter(filter, {
      collated: false,
      ...(nonJsonAt !== undefined && { nonJsonAt }),
    });
    if (!translated.exact) return countScanned(scope, { ns, filter, translated });
    const folded = await countIgnoringCase(scope, {
      ns,
      filter,
      known: indexes.of(ns),
      statistics,
      spellingCache,
    });
    return folded ?? countDocuments(scope, { ns, query: translated.query });
  };
  return async (ns, asked, options = {}) => {
    const lean = deduplicateLists(asked);
    const filter = lean === asked ? asked : await lean;
    const kind = shapeOfCount(ns, filter, indexes.of(ns));
    const operationClass = () => costs.classOf(kind);
    const work = async (scope: OperationScope) => {
      const began = performance.now();
      try {
        return await retryRead(scope, () =>
          counts.getOrCount(scope, { ns, filter }, () => counted(scope, ns, filter)),
        );
      } finally {
        costs.record(kind, { ms: performance.now() - began, bytes: 0, documents: 0 });
      }
    };
    return connection.run({ ...options, operationClass: operationClass }, work).catch(rethrowFilterTooLarge);
  };
}
