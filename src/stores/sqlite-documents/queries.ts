// Reads: tried on the main thread within a small work limit, else run on a reader thread.
import { mapYielding } from '../../lib/async/yielding.ts';
import { joinByComma } from '../../lib/chunked-text.ts';
import type { Filter } from '../filter.ts';
import type {
  CollectionStats,
  FindQuery,
  Namespace,
  OperationOptions,
  StoredDocument,
  TextPage,
} from '../ports.ts';
import type { CountCache } from './count-cache.ts';
import { type CollectionEntry, onSnapshot, type ReadContext } from './data-file/catalogue.ts';
import { isBusy } from './data-file/connection.ts';
import { parseDocument } from './data-file/document-text.ts';
import { asStoreError } from './data-file/storage-errors.ts';
import {
  assertBeforeDeadline,
  createWorkLimit,
  type WorkLimit,
  WorkLimitExceeded,
} from './data-file/work-limit.ts';
import { type DiskUsage, measureDiskUsage } from './query/disk-usage.ts';
import { countMatches, findById, findTexts } from './query/execute.ts';
import { filterCostOf } from './query/filter-analysis.ts';
import type { Plan } from './query/plan-types.ts';
import type { Threads } from './threads/threads.ts';

export interface Queries {
  find(ns: Namespace, query: FindQuery, options?: OperationOptions): Promise<readonly StoredDocument[]>;
  findText(ns: Namespace, query: FindQuery, options?: OperationOptions): Promise<readonly string[]>;
  findPage(ns: Namespace, query: FindQuery, options?: OperationOptions): Promise<TextPage>;
  count(ns: Namespace, filter: Filter, options?: OperationOptions): Promise<number>;
  stats(ns: Namespace, options?: OperationOptions): Promise<CollectionStats>;
}

interface QueriesDeps {
  readonly reader: ReadContext;
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

/** Joins the main connection with the reader threads. */
export function createQueries({ reader, threads, counts, clock }: QueriesDeps): Queries {
  const findText: Queries['findText'] = async (ns, query, { deadline } = {}) => {
    assertBeforeDeadline(deadline);
    const id = soleId(query);
    if (id !== undefined) {
      const found = tryHere(() => ({ text: findById(reader, ns, id) }));
      if (found !== undefined) return found.text === undefined ? [] : [found.text];
    }
    const accept = (plan: Plan, entry: CollectionEntry) => {
      if (query.skip > MAX_SKIPPED) throw new WorkLimitExceeded();
      assertShortScan(plan, entry);
    };
    const texts = tryHere(() =>
      findTexts(reader, ns, { query, workLimit: limitFor(query.filter, clock), accept }),
    );
    return texts ?? threads.find({ ns, query, deadline }, estimatePageBytes(reader, ns, query));
  };

  const countNow = async (ns: Namespace, filter: Filter, deadline: number | undefined) => {
    const count = tryHere(() =>
      countMatches(reader, ns, { filter, workLimit: limitFor(filter, clock), accept: assertShortScan }),
    );
    return count ?? threads.count({ ns, filter, deadline });
  };

  return {
    findText,
    async findPage(ns, query, options) {
      const texts = await findText(ns, query, options);
      return { text: joinByComma(texts), count: texts.length };
    },
    find: async (ns, query, options) => parseAll(await findText(ns, query, options), query),
    async count(ns, filter, { deadline } = {}) {
      assertBeforeDeadline(deadline);
      const entry = tryHere(() => onSnapshot(reader, ns, (found) => found));
      if (entry === undefined) return countNow(ns, filter, deadline);
      const cached = counts.get(entry, filter);
      if (cached !== undefined) return cached;
      const before = { ...entry };
      const count = await countNow(ns, filter, deadline);
      tryHere(() => reader.catalogue.refresh());
      // A write during the count: the number belongs to neither state for certain.
      if (reader.catalogue.get(ns)?.writes === before.writes) counts.set(before, filter, count);
      return count;
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

function assertShortScan(plan: Plan, entry: CollectionEntry): void {
  if (plan.access.kind === 'scan' && entry.bytes > MAX_SCANNED_TEXT) throw new WorkLimitExceeded();
}

/** Returns the id if the query is for one whole document by its id. */
function soleId({ filter, skip, limit, projection }: FindQuery): string | undefined {
  if (filter.kind !== 'field' || filter.path !== '_id' || filter.tests.length !== 1) return undefined;
  const [test] = filter.tests;
  if (test?.kind !== 'eq' || test.fold === true || typeof test.value !== 'string') return undefined;
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
function estimatePageBytes({ catalogue }: ReadContext, ns: Namespace, { limit }: FindQuery): number {
  const { documents = 0, bytes = 0 } = catalogue.get(ns) ?? {};
  return documents === 0 ? 0 : (bytes / documents) * Math.min(limit, documents);
}
