// The reads of the store: find, findText, findPage, findByIds and count. A find translates the filter, chooses how to sort, then
// reads in one round trip if possible. A count is exact, by the server if it can evaluate the filter, otherwise by a scan. Slow
// counts are cached until anything is written to the deployment. The server's own number of documents is no substitute: it
// includes uncommitted writes and is wrong after a crash.

import { LRUCache } from 'lru-cache';
import { StoreError } from '../../../errors/errors.ts';
import { both, mapYielding } from '../../../lib/async/maybe-promise.ts';
import { joinTexts } from '../../../lib/chunked-text.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { documentsById } from '../../../lib/json/stored-json.ts';
import { type Filter, filterByIds } from '../../filter.ts';
import type { FindQuery, Namespace, OperationOptions, PageOptions, StoredDocument } from '../../ports.ts';
import { retryRead, toStoreErrorOrDefect } from '../connection/errors.ts';
import type { IndexCache, MongoConnection, OperationScope } from '../connection/types.ts';
import { deduplicateLists, hasLongList } from '../filters/long-lists.ts';
import { idOfFilter } from '../filters/translate.ts';
import { type CaseInsensitiveReader, createCaseInsensitiveReader } from './case-insensitive-find.ts';
import { createLookupGroups, MAX_GROUPED_IDS } from './lookup-groups.ts';
import { createFilterTranslator, type FilterTranslator, isSortedByServer } from './non-json-paths.ts';
import { createPageReader, type FoundPage, findPlain, type PageQuery } from './page.ts';
import { createQueryCosts, type QueryCosts, shapeOfCount } from './query-costs.ts';
import { countDocuments, operationTimeOf, rethrowFilterTooLarge, runRead } from './read-command.ts';
import { countScanned, findResidual, findSorted } from './residual-find.ts';
import { serverSort } from './sort-and-projection.ts';
import type { TypeProbe } from './type-probe.ts';

interface ReadsDeps {
  readonly connection: MongoConnection;
  readonly indexes: IndexCache;
  /** Whether memory allows reading a page of so many bytes now. */
  readonly hasMemoryFor: (bytes: number) => boolean;
  readonly typeProbe: TypeProbe;
}

/** Creates the reads of the store. */
export function createReads({ connection, indexes, hasMemoryFor, typeProbe }: ReadsDeps) {
  const ignoringCase = createCaseInsensitiveReader();
  const costs = createQueryCosts();
  const translator = createFilterTranslator(typeProbe);
  const readPage = createPageReader({
    connection,
    indexes,
    hasMemoryFor,
    costs,
    findPage: (scope, request) => findPage(scope, request, { translator, typeProbe, ignoringCase }),
  });

  const pageOf = async (ns: Namespace, query: FindQuery, options: OperationOptions): Promise<FoundPage> => {
    if (query.limit <= 0) return EMPTY_PAGE;
    const text = await findGrouped(ns, query, options);
    if (text !== undefined) return { texts: [text], finish: undefined };
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

  const findTextsByIds = (ns: Namespace, ids: readonly string[], limit: number, options?: OperationOptions) =>
    findText(ns, { filter: filterByIds(ids), sort: [], skip: 0, limit }, options);

  /** None where an id is that of several documents, as it may be in a view: reads of their own find them all. */
  const findDistinct = async (ns: Namespace, ids: readonly string[], options?: OperationOptions) => {
    const texts = await findTextsByIds(ns, ids, ids.length + 1, options);
    const found = await documentsById(texts);
    return found.size === texts.length ? found : NO_DOCUMENTS;
  };

  const findWithOthers = createLookupGroups({ findByIds: findDistinct, now: Date.now });

  /** The document of a read by id, if it was read together with others. */
  const findGrouped = (
    ns: Namespace,
    { filter, skip, projection }: FindQuery,
    options: OperationOptions,
  ): Promise<string | undefined> | undefined => {
    const id = skip === 0 && projection === undefined ? idOfFilter(filter) : undefined;
    if (id === undefined || !costs.areShort(ns, MAX_GROUPED_IDS)) return undefined;
    return findWithOthers(ns, id, options);
  };

  return {
    async find(ns: Namespace, query: FindQuery, options: OperationOptions = {}) {
      const { texts, finish = unchanged } = await pageOf(ns, query, options);
      return mapYielding(texts, (text) => finish(JSON.parse(text) as JsonObject) as StoredDocument);
    },
    findText,
    async findPage(ns: Namespace, query: FindQuery, options?: PageOptions) {
      return joinTexts(await findText(ns, query, options), options?.separator);
    },
    async findByIds(ns: Namespace, ids: readonly string[], options?: OperationOptions) {
      const distinct = [...new Set(ids)];
      return documentsById(await findTextsByIds(ns, distinct, distinct.length, options));
    },
    count: createCount({ connection, indexes, ignoringCase, costs, translator }),
  };
}

const NO_DOCUMENTS: ReadonlyMap<string, string> = new Map();

const EMPTY_PAGE: FoundPage = { texts: [], finish: undefined };

const unchanged = (document: JsonObject) => document;

interface FindPageDeps extends Pick<ReadsDeps, 'typeProbe'> {
  readonly translator: FilterTranslator;
  readonly ignoringCase: CaseInsensitiveReader;
}

/** Finds one page by the fastest strategy that is exact. Called once the operation has a slot. */
async function findPage(
  scope: OperationScope,
  pageQuery: PageQuery,
  { translator, typeProbe, ignoringCase }: FindPageDeps,
): Promise<FoundPage> {
  const { ns, query, known } = pageQuery;
  const { filter } = query;
  const paths = query.sort.map(([path]) => path);
  const [translated, isSorted] = await both(
    translator.translate(scope, ns, filter),
    isSortedByServer(scope, { ns, paths, typeProbe }),
  );
  try {
    if (!isSorted) return await findSorted(scope, pageQuery, translated);
    const canServerSort = serverSort(query.sort, known) !== undefined;
    if (!translated.exact || !canServerSort) return await findResidual(scope, pageQuery, translated);
    return await ignoringCase(scope, { ns, filter, known, translated }, (exact) =>
      findPlain(scope, pageQuery, exact),
    );
  } catch (error) {
    const storeError = toStoreErrorOrDefect(error);
    if (!(storeError instanceof StoreError && storeError.reason === 'parallel-arrays')) throw error;
    return findSorted(scope, pageQuery, translated);
  }
}

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
/** Nor are counts that take no longer than so many checks: on a busy machine everything takes long. */
const COSTLY_CHECKS = 4;
/** For how many milliseconds the time that a check took is compared with. */
const CHECK_TTL_MS = 10_000;

/** Creates an empty cache. `now` returns milliseconds. */
export function createMongoCountCache(now: () => number): MongoCountCache {
  const counts = new LRUCache<string, CachedCount>({ max: MAX_COUNTS });
  /** What the last check took, in milliseconds, and when. */
  let lastCheck = { ms: 0, at: 0 };

  const check = async (scope: OperationScope, ns: Namespace): Promise<bigint | undefined> => {
    const began = now();
    const time = await lastWriteTime(scope, ns);
    lastCheck = { ms: now() - began, at: now() };
    return time;
  };

  const isCostly = (ms: number): boolean => {
    const checkMs = now() - lastCheck.at < CHECK_TTL_MS ? lastCheck.ms : 0;
    return ms >= Math.max(COSTLY_MS, COSTLY_CHECKS * checkMs);
  };

  return {
    async getOrCount(scope, { ns, filter }, count) {
      // Other deployments return no operation time, or that of one of several shards.
      if (scope.deployment.kind !== 'replica set' || hasLongList(filter)) return count();
      const key = JSON.stringify([ns.database, ns.collection, filter]);
      if (key.length > MAX_KEY_CHARACTERS) return count();
      const known = counts.get(key);
      const before = known === undefined ? undefined : await check(scope, ns);
      if (known !== undefined && before !== undefined && known.time === before) return known.count;
      const began = now();
      const found = await count();
      if (!isCostly(now() - began)) {
        counts.delete(key);
        return found;
      }
      const isStill = before !== undefined && before === (await check(scope, ns));
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
  readonly ignoringCase: CaseInsensitiveReader;
  readonly costs: QueryCosts;
  readonly translator: FilterTranslator;
}

/** Creates the `count` of the store. */
function createCount({ connection, indexes, ignoringCase, costs, translator }: CountDeps) {
  const cache = createMongoCountCache(() => performance.now());

  const countNow = async (scope: OperationScope, ns: Namespace, filter: Filter): Promise<number> => {
    const translated = await translator.translate(scope, ns, filter);
    if (!translated.exact) return countScanned(scope, { ns, filter, translated });
    const asked = { ns, filter, known: indexes.of(ns), translated };
    const { count } = await ignoringCase(scope, asked, ({ query }) => countDocuments(scope, { ns, query }));
    return count;
  };

  return async (ns: Namespace, requested: Filter, options: OperationOptions = {}): Promise<number> => {
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
