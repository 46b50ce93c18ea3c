// Reads: tried on the main thread within a small work limit, else run on a reader thread.

import { mapYielding } from '../../lib/async/maybe-promise.ts';
import { joinTexts } from '../../lib/chunked-text.ts';
import { documentsById } from '../../lib/json/stored-json.ts';
import { estimateRegexSize } from '../../lib/regex/linear-regex.ts';
import { unreachable } from '../../lib/unreachable.ts';
import { type Filter, type FilterTest, filterByIds } from '../filter.ts';
import type { CollectionStats, DocumentStore, FindQuery, Namespace, StoredDocument } from '../ports.ts';
import type { CountCache } from './count-cache.ts';
import { type CollectionEntry, type DataFile, onSnapshot } from './data-file/catalogue.ts';
import {
  assertBeforeDeadline,
  createWorkLimit,
  isBusy,
  parseDocument,
  type WorkLimit,
  WorkLimitExceeded,
} from './data-file/connection.ts';
import { asStoreError } from './data-file/storage-errors.ts';
import { type DiskUsage, measureDiskUsage } from './query/disk-usage.ts';
import {
  countMatches,
  createQueryContext,
  EMPTY_PAGE,
  pageOfQuery,
  type RunOptions,
  textsOfQuery,
} from './query/execute.ts';
import { createDocumentCache, textById, textsByIds } from './query/fetch-documents.ts';
import type { Plan } from './query/plan.ts';
import type { Threads } from './threads/threads.ts';

/** The reads of the port. They may throw: the store turns that into rejections. */
export type Queries = Pick<DocumentStore, 'find' | 'findText' | 'findPage' | 'findByIds' | 'count' | 'stats'>;

interface QueriesDeps {
  readonly reader: DataFile;
  readonly threads: Threads;
  readonly counts: CountCache;
  /** Monotonic milliseconds, for work limits. */
  readonly clock: () => number;
}

/** What one read may use of the main thread: milliseconds, and UTF-16 units of text. */
const MAX_MAIN_THREAD_MS = 3;
const MAX_MAIN_THREAD_TEXT = 300_000;

/** A scan of more text, or a page after more skipped documents, starts on a reader thread. */
const MAX_SCANNED_TEXT = 500_000;
const MAX_SKIPPED = 10_000;

/** A filter of more operands, or with more expensive patterns, starts on a reader thread. */
const MAX_OPERANDS = 2000;
const MAX_PATTERN_COST = 100;

/** Pattern instructions times characters on the main thread; one takes up to 20 ns. */
const MAX_PATTERN_WORK = 150_000;

const MAX_TEXTS_AT_ONCE = 1000;

/** Memory for documents that others refer to. */
const MAX_CACHE_BYTES = 16 * 1024 * 1024;

/** Joins the main connection with the reader threads. */
export function createQueries({ reader, threads, counts, clock }: QueriesDeps): Queries {
  const context = createQueryContext(reader);
  const cache = createDocumentCache(MAX_CACHE_BYTES);

  /** What a query may use of the main thread. */
  const limitsFor = (filter: Filter, skip = 0): RunOptions => ({
    workLimit: limitFor(filter, clock),
    accept: skip > MAX_SKIPPED ? rejectScan : assertShortScan,
  });

  const findOnThread = (ns: Namespace, query: FindQuery, deadline: number | undefined) =>
    threads.find({ ns, query, deadline }, estimatePageBytes(reader, ns, query));

  const findText: Queries['findText'] = (ns, query, { deadline } = {}) => {
    assertBeforeDeadline(deadline);
    const texts = tryHere(() => {
      const id = soleId(query);
      if (id === undefined) return textsOfQuery(context, ns, query, limitsFor(query.filter, query.skip));
      const text = textById(context, ns, id);
      return text === undefined ? [] : [text];
    });
    return texts ?? findOnThread(ns, query, deadline);
  };

  const countOnThread = async (ns: Namespace, filter: Filter, deadline: number | undefined) => {
    const before = { ...entryOf(ns) };
    const count = await threads.count({ ns, filter, deadline });
    // A write during the count: the number belongs to neither state for certain.
    const after = entryOf(ns);
    if (after !== undefined && after.writes === before.writes) counts.set(after, filter, count);
    return count;
  };

  /** The collection as the file has it now; undefined also while the file is locked. */
  const entryOf = (ns: Namespace) => {
    tryHere(() => reader.catalogue.refresh());
    return reader.catalogue.get(ns);
  };

  return {
    findText,
    findPage(ns, query, { deadline, separator = ',' } = {}) {
      assertBeforeDeadline(deadline);
      const page = tryHere(() => {
        const id = soleId(query);
        if (id === undefined) {
          return pageOfQuery(context, ns, query, { ...limitsFor(query.filter, query.skip), separator });
        }
        const text = textById(context, ns, id);
        return text === undefined ? EMPTY_PAGE : { text, count: 1 };
      });
      return page ?? findOnThread(ns, query, deadline).then((texts) => joinTexts(texts, separator));
    },
    findByIds(ns, ids, { deadline } = {}) {
      assertBeforeDeadline(deadline);
      const workLimit = createWorkLimit(MAX_MAIN_THREAD_MS, MAX_MAIN_THREAD_TEXT, clock);
      const found = tryHere(() => textsByIds(context, ns, ids, { workLimit, cache }));
      if (found !== undefined) return found;
      const distinct = [...new Set(ids)];
      const query = { filter: filterByIds(distinct), sort: [], skip: 0, limit: distinct.length };
      return findOnThread(ns, query, deadline).then(documentsById);
    },
    async find(ns, query, options) {
      return parseAll(await findText(ns, query, options), query);
    },
    count(ns, filter, { deadline } = {}) {
      assertBeforeDeadline(deadline);
      const count = tryHere(() => {
        const known = onSnapshot(reader, ns, (entry) => entry && counts.get(entry, filter));
        if (known !== undefined) return known;
        const counted = countMatches(context, ns, filter, limitsFor(filter));
        const entry = reader.catalogue.get(ns);
        if (entry !== undefined) counts.set(entry, filter, counted);
        return counted;
      });
      return count ?? countOnThread(ns, filter, deadline);
    },
    async stats(ns, { deadline } = {}) {
      assertBeforeDeadline(deadline);
      const workLimit = createWorkLimit(MAX_MAIN_THREAD_MS, MAX_MAIN_THREAD_TEXT, clock);
      const usage =
        tryHere(() => measureDiskUsage(reader, ns, { workLimit, maxText: MAX_SCANNED_TEXT })) ??
        (await threads.diskUsage({ ns, deadline }));
      tryHere(() => reader.catalogue.refresh());
      return statsOf(reader.catalogue.get(ns)?.documents ?? 0, usage);
    },
  };
}

/** Runs `work` on the main thread. Returns undefined if it takes too long there, or if the file is locked. */
function tryHere<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof WorkLimitExceeded || isBusy(error)) return undefined;
    throw asStoreError(error);
  }
}

function limitFor(filter: Filter, clock: () => number): WorkLimit {
  const { patterns, operands } = filterCostOf(filter);
  if (operands > MAX_OPERANDS || patterns > MAX_PATTERN_COST) throw new WorkLimitExceeded();
  return createWorkLimit(
    MAX_MAIN_THREAD_MS,
    Math.min(MAX_MAIN_THREAD_TEXT, MAX_PATTERN_WORK / patterns),
    clock,
  );
}

export interface FilterCost {
  /** Instructions of all patterns together, per character of a document. */
  patterns: number;
  /** Number of tests and of values in their lists. */
  operands: number;
}

/** Estimates the cost of evaluating `filter`, without compiling it. */
export function filterCostOf(filter: Filter): Readonly<FilterCost> {
  const cost: FilterCost = { patterns: 0, operands: 0 };
  addFilter(filter, cost);
  return cost;
}

function addFilter(filter: Filter, cost: FilterCost): void {
  if (filter.kind === 'field') addTests(filter.tests, cost);
  else for (const part of filter.filters) addFilter(part, cost);
}

function addTests(tests: readonly FilterTest[], cost: FilterCost): void {
  for (const test of tests) {
    cost.operands += 1;
    addOperands(test, cost);
  }
}

function addOperands(test: FilterTest, cost: FilterCost): void {
  switch (test.kind) {
    case 'regex':
      cost.patterns += estimateRegexSize(test.pattern, test.flags);
      return;
    case 'elemMatch':
      addFilter(test.filter, cost);
      return;
    case 'not':
    case 'elemMatchValue':
      addTests(test.tests, cost);
      return;
    case 'in':
    case 'nin':
    case 'all':
      cost.operands += test.values.length;
      return;
    case 'eq':
    case 'ne':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
    case 'exists':
    case 'size':
    case 'type':
      return;
    default:
      unreachable(test);
  }
}

function rejectScan(): never {
  throw new WorkLimitExceeded();
}

function assertShortScan(plan: Plan, entry: CollectionEntry): void {
  if (plan.access.kind === 'scan' && entry.bytes > MAX_SCANNED_TEXT) throw new WorkLimitExceeded();
}

/** Returns the id if the query is for one whole document by its id. */
function soleId({ filter, skip, limit, projection }: FindQuery): string | undefined {
  if (filter.kind !== 'field' || filter.path !== '_id' || filter.tests.length !== 1) return undefined;
  const [test] = filter.tests;
  if (test?.kind !== 'eq' || test.caseInsensitive === true || typeof test.value !== 'string')
    return undefined;
  return skip === 0 && limit > 0 && projection === undefined ? test.value : undefined;
}

async function parseAll(
  texts: readonly string[],
  { projection }: FindQuery,
): Promise<readonly StoredDocument[]> {
  // Decoding many texts of a reader thread took a time slice of its own.
  if (texts.length > MAX_TEXTS_AT_ONCE) await new Promise((resolve) => setImmediate(resolve));
  // A projected document may lack its id, and was validated before the projection.
  const parse =
    projection === undefined ? parseDocument : (text: string) => JSON.parse(text) as StoredDocument;
  return mapYielding(texts, parse);
}

function statsOf(documents: number, space: DiskUsage): CollectionStats {
  return {
    count: documents,
    size: space.text,
    averageObjectSize: documents === 0 ? 0 : space.text / documents,
    storageSize: space.documents,
    indexes: Object.keys(space.indexes).length,
    totalIndexSize: Object.values(space.indexes).reduce((sum, size) => sum + size, 0),
    indexSizes: space.indexes,
  };
}

/** Estimates the size of a full page from the average document of the collection. */
function estimatePageBytes({ catalogue }: DataFile, ns: Namespace, { limit }: FindQuery): number {
  const { documents = 0, bytes = 0 } = catalogue.get(ns) ?? {};
  return documents === 0 ? 0 : (bytes / documents) * Math.min(limit, documents);
}
