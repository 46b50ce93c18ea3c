// Finds documents: in the server's words as far as they reach, in one round trip where they reach all the way.
import { StoreError } from '../../../errors.ts';
import { mapYielding } from '../../../lib/async/yielding.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { DocumentStore, FindQuery, Namespace, OperationOptions, StoredDocument } from '../../ports.ts';
import { toStoreErrorOrDefect } from '../connection/errors.ts';
import type { IndexCache, MongoConnection, OperationScope } from '../connection/types.ts';
import { deduplicateLists } from '../filters/long-lists.ts';
import { translateFilter } from '../filters/translate.ts';
import { findIgnoringCase } from './case-insensitive-find.ts';
import { createCollationStatistics } from './collation-statistics.ts';
import { createCount } from './count.ts';
import { chooseSortStrategy, findNonJsonTypes } from './non-json-paths.ts';
import type { FoundPage, PageQuery } from './page.ts';
import { findPlain } from './page.ts';
import { createPageReader } from './page-reader.ts';
import { createQueryCosts } from './query-costs.ts';
import { rethrowFilterTooLarge } from './read-command.ts';
import { findMerged, findResidual, findSorted } from './residual-find.ts';
import { serverSort } from './sort.ts';
import { createSpellingCache } from './spelling-cache.ts';
import type { TypeProbe } from './type-probe.ts';

interface ReadsDeps {
  readonly connection: MongoConnection;
  readonly indexes: IndexCache;
  /** Whether a page of so many bytes may be read now. */
  readonly hasMemoryFor: (bytes: number) => boolean;
  readonly typeProbe: TypeProbe;
}

/** The reading half of the store. */
export function createReads({
  connection,
  indexes,
  hasMemoryFor: hasRoom,
  typeProbe,
}: ReadsDeps): Pick<DocumentStore, 'find' | 'findText' | 'count'> {
  const statistics = createCollationStatistics();
  const spellingCache = createSpellingCache();
  const costs = createQueryCosts();
  const readPage = createPageReader({
    ...{ connection, indexes, hasMemoryFor: hasRoom, costs },
    findPage: async (scope, wanted) => findPage(scope, { ...wanted, statistics, spellingCache }, typeProbe),
  });
  const pageOf = async (ns: Namespace, query: FindQuery, options: OperationOptions): Promise<FoundPage> => {
    if (query.limit <= 0) return EMPTY_PAGE;
    const filter = deduplicateLists(query.filter);
    // Nothing is awaited for the sake of a list that is not there.
    const lean = filter === query.filter ? query : { ...query, filter: await filter };
    return readPage(ns, lean, options).catch(rethrowFilterTooLarge);
  };
  return {
    async find(ns, query, options = {}) {
      const { texts, finish = unchanged } = await pageOf(ns, query, options);
      return mapYielding(texts, (text) => finish(JSON.parse(text) as JsonObject) as StoredDocument);
    },
    async findText(ns, query, options = {}) {
      const { texts, finish } = await pageOf(ns, query, options);
      if (finish === undefined) return texts;
      return mapYielding(texts, (text) => JSON.stringify(finish(JSON.parse(text) as JsonObject)));
    },
    count: createCount({ connection, indexes, statistics, spellingCache, costs, typeProbe }),
  };
}

const EMPTY_PAGE: FoundPage = { texts: [], finish: undefined };

const unchanged = (document: JsonObject) => document;

async function findPage(scope: OperationScope, search: PageQuery, typeProbe: TypeProbe): Promise<FoundPage> {
  const { ns, query, known } = search;
  const { filter } = query;
  const paths = query.sort.map(([path]) => path);
  const [nonJsonAt, order] = await Promise.all([
    findNonJsonTypes(scope, { ns, filter, typeProbe }),
    chooseSortStrategy(scope, { ns, paths, typeProbe }),
  ]);
  const translated = translateFilter(filter, {
    collated: false,
    ...(nonJsonAt !== undefined && { nonJsonAt }),
  });
  const sort = serverSort(query.sort, known);
  try {
    if (order === 'evaluated') return await findSorted(scope, search, translated);
    if (order !== 'plain') return await findMerged(scope, search, { translated, path: order.mergedBy });
    if (!translated.exact || sort === undefined) return await findResidual(scope, search, translated);
    return (await findIgnoringCase(scope, search)) ?? (await findPlain(scope, search, translated));
  } catch (error) {
    const failure = toStoreErrorOrDefect(error);
    if (!(failure instanceof StoreError && failure.reason === 'parallel-arrays')) throw error;
    return findSorted(scope, search, translated);
  }
}
