// Reads as the main thread sees them: short ones at once, the others on a reader thread.
import { mapInSlices } from '../../lib/slices.ts';
import type { Filter } from '../filter.ts';
import type { CollectionStats, FindQuery, Namespace, OperationOptions, StoredDocument } from '../ports.ts';
import type { CollectionEntry } from './catalogue.ts';
import { isBusy } from './connection.ts';
import type { CountCache } from './count-cache.ts';
import { workOf } from './filter-work.ts';
import { checkDeadline, createBudget, type Meter, OverBudget } from './meter.ts';
import { asStoreError } from './outcome.ts';
import type { Plan } from './plan-types.ts';
import { countMatches, findById, findTexts, onSnapshot, type Reader } from './read.ts';
import { measure, type Space } from './space.ts';
import { parseDocument } from './stored.ts';
import type { Threads } from './threads.ts';

export interface Queries {
  find(ns: Namespace, query: FindQuery, options: OperationOptions): Promise<readonly StoredDocument[]>;
  findText(ns: Namespace, query: FindQuery, options: OperationOptions): Promise<readonly string[]>;
  count(ns: Namespace, filter: Filter, options: OperationOptions): Promise<number>;
  stats(ns: Namespace, options: OperationOptions): Promise<CollectionStats>;
}

interface Collaborators {
  readonly reader: Reader;
  readonly threads: Threads;
  readonly counts: CountCache;
  /** Milliseconds that only ever grow: what budgets go by. */
  readonly clock: () => number;
}

/** What a read may take of the main thread: milliseconds, and UTF-16 units of text. */
const BUDGET_MS = 3;
const BUDGET_TEXT = 300_000;

/** Scanning more text than this is left to a reader thread from the start. */
const SHORT_SCAN = 500_000;

/** So is passing over more of them. */
const SHORT_SKIP = 10_000;

const SHORT_LIST = 1000;

/** Filters of more operands, or with larger patterns, go to a reader thread whatever they are about. */
const SHORT_FILTER = 2000;

/** Instructions of patterns times characters, some 20 ns each at worst. */
const BUDGET_PATTERNS = 150_000;
const SHORT_PATTERNS = 100;

function budgetFor(filter: Filter, clock: () => number): Meter {
  const { patterns, operands } = workOf(filter);
  if (operands > SHORT_FILTER || patterns > SHORT_PATTERNS) throw new OverBudget();
  return createBudget(BUDGET_MS, Math.min(BUDGET_TEXT, BUDGET_PATTERNS / patterns), clock);
}

function refuseScan(plan: Plan, entry: CollectionEntry): void {
  if (plan.access.kind === 'scan' && entry.bytes > SHORT_SCAN) throw new OverBudget();
}

/** The id, where the query is for one whole document by its id. */
function onlyId({ filter, skip, limit, projection }: FindQuery): string | undefined {
  if (filter.kind !== 'field' || filter.path !== '_id' || filter.tests.length !== 1) return undefined;
  const [test] = filter.tests;
  if (test?.kind !== 'eq' || test.fold === true || typeof test.value !== 'string') return undefined;
  return skip === 0 && limit > 0 && projection === undefined ? test.value : undefined;
}

async function parseAll(
  texts: readonly string[],
  { projection }: FindQuery,
): Promise<readonly StoredDocument[]> {
  // Many texts came from a thread just now: taking them in was a turn of its own.
  if (texts.length > SHORT_LIST) await new Promise((resolve) => setImmediate(resolve));
  // What is projected may lack its id, and was parsed before.
  const parse =
    projection === undefined ? parseDocument : (text: string) => JSON.parse(text) as StoredDocument;
  return mapInSlices(texts, parse);
}

function statsOf(documents: number, space: Space): CollectionStats {
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

/** Undefined when the work is too long for the main thread. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof OverBudget || isBusy(error)) return undefined;
    throw asStoreError(error);
  }
}

/** About how long a full page of this query is: the documents of the collection tell. */
function pageBytes({ catalogue }: Reader, ns: Namespace, { limit }: FindQuery): number {
  const { documents = 0, bytes = 0 } = catalogue.get(ns) ?? {};
  return documents === 0 ? 0 : (bytes / documents) * Math.min(limit, documents);
}

/** Joins the main connection with the threads. */
export function createQueries({ reader, threads, counts, clock }: Collaborators): Queries {
  const findText: Queries['findText'] = async (ns, query, { deadline }) => {
    checkDeadline(deadline);
    const id = onlyId(query);
    if (id !== undefined) {
      const found = attempt(() => ({ text: findById(reader, ns, id) }));
      if (found !== undefined) return found.text === undefined ? [] : [found.text];
    }
    const accept = (plan: Plan, entry: CollectionEntry) => {
      if (query.skip > SHORT_SKIP) throw new OverBudget();
      refuseScan(plan, entry);
    };
    const texts = attempt(() =>
      findTexts(reader, ns, { query, meter: budgetFor(query.filter, clock), accept }),
    );
    return texts ?? threads.find({ ns, query, deadline }, pageBytes(reader, ns, query));
  };

  const countAnew = async (ns: Namespace, filter: Filter, deadline: number | undefined) => {
    const count = attempt(() =>
      countMatches(reader, ns, { filter, meter: budgetFor(filter, clock), accept: refuseScan }),
    );
    return count ?? threads.count({ ns, filter, deadline });
  };

  return {
    findText,
    find: async (ns, query, options) => parseAll(await findText(ns, query, options), query),
    async stats(ns, { deadline }) {
      checkDeadline(deadline);
      const work = { meter: createBudget(BUDGET_MS, BUDGET_TEXT, clock), mostText: SHORT_SCAN };
      const space = attempt(() => measure(reader, ns, work)) ?? (await threads.space({ ns, deadline }));
      attempt(() => reader.catalogue.refresh());
      return statsOf(reader.catalogue.get(ns)?.documents ?? 0, space);
    },
    async count(ns, filter, { deadline }) {
      checkDeadline(deadline);
      const entry = attempt(() => onSnapshot(reader, ns, (found) => found));
      if (entry === undefined) return countAnew(ns, filter, deadline);
      const known = counts.get(entry, filter);
      if (known !== undefined) return known;
      const before = { ...entry };
      const count = await countAnew(ns, filter, deadline);
      attempt(() => reader.catalogue.refresh());
      if (reader.catalogue.get(ns)?.writes === before.writes) counts.set(before, filter, count);
      return count;
    },
  };
}
