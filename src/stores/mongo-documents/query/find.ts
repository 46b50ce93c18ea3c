// `find`, `findText` and `findPage` of the store: translate the filter, choose how to sort, then read in one round trip if possible.
import { StoreError } from '../../../errors/errors.ts';
import { mapYielding } from '../../../lib/async/yielding.ts';
import { joinTexts } from '../../../lib/chunked-text.ts';
import { documentsById } from '../../../lib/document-id.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { filterByIds } from '../../filter.ts';
import type { DocumentStore, FindQuery, Namespace, OperationOptions, StoredDocument } from '../../ports.ts';
import { toStoreErrorOrDefect } from '../connection/errors.ts';
import type { IndexCache, MongoConnection, OperationScope } from '../connection/types.ts';
import { deduplicateLists } from '../filters/long-lists.ts';
import { createCollationStatistics, createSpellingCache } from './case-insensitive-cache.ts';
import { findIgnoringCase } from './case-insensitive-find.ts';
import { createCount } from './count.ts';
import { chooseSortStrategy, createFilterTranslator, type FilterTranslator } from './non-json-paths.ts';
import { createPageReader, type FoundPage, findPlain, type PageQuery } from './page.ts';
import { createQueryCosts } from './query-costs.ts';
import { rethrowFilterTooLarge } from './read-command.ts';
import { findMerged, findResidual, findSorted } from './residual-find.ts';
import { serverSort } from './sort-and-projection.ts';
import type { TypeProbe } from './type-probe.ts';

interface ReadsDeps {
  readonly connection: MongoConnection;
  readonly indexes: IndexCache;
  /** Whether memory allows reading a page of so many bytes now. */
  readonly hasMemoryFor: (bytes: number) => boolean;
  readonly typeProbe: TypeProbe;
}

type AsyncMethod<Name extends 'find' | 'findText' | 'findPage' | 'findByIds' | 'count'> = (
  ...args: Parameters<DocumentStore[Name]>
) => Promise<Awaited<ReturnType<DocumentStore[Name]>>>;

/** The reads of a store that always waits for its server. */
interface MongoReads {
  readonly find: AsyncMethod<'find'>;
  readonly findText: AsyncMethod<'findText'>;
  readonly findPage: AsyncMethod<'findPage'>;
  readonly findByIds: AsyncMethod<'findByIds'>;
  readonly count: AsyncMethod<'count'>;
}

/** Creates the reads of the store. */
export function createReads(deps: ReadsDeps): MongoReads {
  const { connection, indexes, hasMemoryFor, typeProbe } = deps;
  const statistics = createCollationStatistics();
  const spellingCache = createSpellingCache();
  const costs = createQueryCosts();
  const translator = createFilterTranslator(typeProbe);
  const readPage = createPageReader({
    ...{ connection, indexes, hasMemoryFor, costs },
    findPage: async (scope, request) =>
      findPage(scope, { ...request, statistics, spellingCache }, { translator, typeProbe }),
  });

  const pageOf = async (ns: Namespace, query: FindQuery, options: OperationOptions): Promise<FoundPage> => {
    if (query.limit <= 0) return EMPTY_PAGE;
    const filter = deduplicateLists(query.filter);
    // Awaits only if there is a long list.
    const shortened = filter === query.filter ? query : { ...query, filter: await filter };
    return readPage(ns, shortened, options).catch(rethrowFilterTooLarge);
  };

  const findText = async (ns: Namespace, query: FindQuery, options: OperationOptions = {}) => {
    const { texts, finish } = await pageOf(ns, query, options);
    if (finish === undefined) return texts;
    return mapYielding(texts, (text) => JSON.stringify(finish(JSON.parse(text) as JsonObject)));
  };

  return {
    async find(ns, query, options = {}) {
      const { texts, finish = unchanged } = await pageOf(ns, query, options);
      return mapYielding(texts, (text) => finish(JSON.parse(text) as JsonObject) as StoredDocument);
    },
    findText,
    async findPage(ns, query, options) {
      return joinTexts(await findText(ns, query, options));
    },
    async findByIds(ns, ids, options) {
      const query = { filter: filterByIds(ids), sort: [], skip: 0, limit: ids.length };
      return documentsById(await findText(ns, query, options));
    },
    count: createCount({ connection, indexes, statistics, spellingCache, costs, translator }),
  };
}

const EMPTY_PAGE: FoundPage = { texts: [], finish: undefined };

const unchanged = (document: JsonObject) => document;

/** Finds one page by the fastest strategy that is exact. Called once the operation has a slot. */
async function findPage(
  scope: OperationScope,
  pageQuery: PageQuery,
  { translator, typeProbe }: { readonly translator: FilterTranslator; readonly typeProbe: TypeProbe },
): Promise<FoundPage> {
  const { ns, query, known } = pageQuery;
  const { filter } = query;
  const paths = query.sort.map(([path]) => path);
  const [translated, sortStrategy] = await Promise.all([
    translator.translate(scope, ns, filter),
    chooseSortStrategy(scope, { ns, paths, typeProbe }),
  ]);
  try {
    if (sortStrategy === 'evaluated') return await findSorted(scope, pageQuery, translated);
    if (sortStrategy !== 'plain') {
      return await findMerged(scope, pageQuery, { translated, path: sortStrategy.mergedBy });
    }
    const canServerSort = serverSort(query.sort, known) !== undefined;
    if (!translated.exact || !canServerSort) return await findResidual(scope, pageQuery, translated);
    return (await findIgnoringCase(scope, pageQuery)) ?? (await findPlain(scope, pageQuery, translated));
  } catch (error) {
    const storeError = toStoreErrorOrDefect(error);
    if (!(storeError instanceof StoreError && storeError.reason === 'parallel-arrays')) throw error;
    return findSorted(scope, pageQuery, translated);
  }
}
