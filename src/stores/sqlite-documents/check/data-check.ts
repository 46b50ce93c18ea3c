// Looks through a data file for what does not agree, and builds broken indexes anew. A server may run beside it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { StoreError } from '../../../errors.ts';
import type { Namespace } from '../../ports.ts';
import { createWriteContext, type WriteContext } from '../commit/apply-writes.ts';
import { type CollectionEntry, createCatalogue, type IndexEntry } from '../data-file/catalogue.ts';
import { openConnection } from '../data-file/connection.ts';
import { documentTable, hasSchema } from '../data-file/schema.ts';
import { isSuperseded } from '../indexes/index-build.ts';
import { asStoreError } from '../threads/thread-result.ts';
import { type CollectionIssues, checkCollection } from './collection-check.ts';
import { type RowIssues, tablesOfIndex } from './index-check.ts';
import { rebuildIndex } from './index-repair.ts';
import { checkTable, isCorrupt } from './table-check.ts';

/** What a fault is about: an index, the documents of a collection, or what the file says of itself. */
interface IssueLocation {
  readonly ns?: Namespace;
  readonly index?: string;
}

/** `damaged`: what SQLite says of the pages, in `details`. `unreadable`: documents that are not what was stored. */
interface DataIssue extends IssueLocation {
  readonly kind: keyof RowIssues | 'unreadable' | 'damaged';
  readonly count: number;
  readonly details: readonly string[];
}

interface NamedIndex extends Required<IssueLocation> {
  readonly n: number;
}

interface BrokenIndex extends NamedIndex {
  readonly isDamaged: boolean;
}

export interface DataReport {
  readonly collections: number;
  readonly documents: number;
  readonly indexes: number;
  readonly issues: readonly DataIssue[];
  /** Indexes that no query uses yet. */
  readonly unfinished: readonly NamedIndex[];
  /** What `repair` builds anew. An earlier repair that was interrupted counts. */
  readonly broken: readonly BrokenIndex[];
}

/** `duplicate` and `parallel-arrays`: documents break it. `damaged`: the pages of the documents do not let it be built. */
type RepairOutcome = 'rebuilt' | 'gone' | 'duplicate' | 'parallel-arrays' | 'damaged';

export interface DataCheck {
  check(): Promise<DataReport>;
  /** Builds one index anew, wholly or not at all: until it is complete, queries do without it. */
  repair(broken: BrokenIndex): Promise<RepairOutcome>;
  close(): void;
}

interface CheckOptions {
  /** The folder of the data file. */
  readonly path: string;
  /** Between two slices of a repair: lets a server that waits for the file get hold of it. */
  readonly pause?: () => Promise<void>;
  /** About how long one slice takes, in milliseconds. */
  readonly ms?: number;
}

const SLICE_MS = 15;
const PAUSE_MS = 10;
const BUSY_TIMEOUT_MS = 5000;
const CACHE_SIZE_KB = 32_768;

const CATALOGUE_TABLES = ['sqlite_schema', 'collections', 'indexes', 'touched'];
const ROW_KINDS = ['missing', 'surplus', 'wrong', 'unmarked'] as const;

function rowIssues(place: IssueLocation, faults: RowIssues): readonly DataIssue[] {
  return ROW_KINDS.filter((kind) => faults[kind] > 0).map((kind) => {
    return { ...place, kind, count: faults[kind], details: [] };
  });
}

/** What was found in one collection. */
interface CollectionResult {
  readonly documents: number;
  readonly issues: readonly DataIssue[];
  readonly broken: readonly BrokenIndex[];
}

class DataFileCheck implements DataCheck {
  readonly #writer: WriteContext;
  readonly #options: Required<CheckOptions>;

  constructor(writer: WriteContext, options: CheckOptions) {
    this.#writer = writer;
    this.#options = { ms: SLICE_MS, pause: () => setTimeout(PAUSE_MS), ...options };
  }

  async check(): Promise<DataReport> {
    try {
      return await this.#check();
    } catch (error) {
      throw asStoreError(error);
    }
  }

  async #check(): Promise<DataReport> {
    const found: CollectionResult[] = [];
    const damage = CATALOGUE_TABLES.flatMap((table) => this.#damage({}, table));
    for (const entry of this.#collections()) found.push(await this.#checkEntry(entry));
    const entries = this.#collections();
    const unfinished = entries.flatMap(({ ns, indexes }) =>
      indexes
        .filter((index) => !index.ready && !isSuperseded(index, indexes))
        .map(({ n, name }) => ({ ns, index: name, n })),
    );
    return {
      collections: entries.length,
      documents: found.reduce((sum, { documents }) => sum + documents, 0),
      indexes: entries.reduce((sum, { indexes }) => sum + indexes.length, 0),
      issues: [...damage, ...found.flatMap(({ issues: faults }) => faults)],
      unfinished,
      broken: found.flatMap(({ broken }) => broken),
    };
  }

  async repair(broken: BrokenIndex): Promise<RepairOutcome> {
    try {
      return await rebuildIndex(this.#writer, broken, this.#options);
    } catch (error) {
      if (isCorrupt(error)) return 'damaged';
      const { reason } = asStoreError(error);
      if (reason === 'duplicate' || reason === 'parallel-arrays') return reason;
      throw asStoreError(error);
    }
  }

  close(): void {
    this.#writer.connection.close();
  }

  #collections(): readonly CollectionEntry[] {
    this.#writer.catalogue.refresh();
    return this.#writer.catalogue.list();
  }

  #damage(place: IssueLocation, table: string): readonly DataIssue[] {
    const details = checkTable(this.#writer.connection, table);
    return details.length === 0 ? [] : [{ ...place, kind: 'damaged', count: details.length, details }];
  }

  async #checkEntry({ n, ns, indexes }: CollectionEntry): Promise<CollectionResult> {
    const ofDocuments = this.#damage({ ns }, documentTable(n));
    const ofIndexes = new Map<number, readonly DataIssue[]>();
    for (const index of indexes) {
      const place = { ns, index: index.name };
      const damage = tablesOfIndex(index).flatMap((table) => this.#damage(place, table.name));
      if (damage.length > 0) ofIndexes.set(index.n, damage);
      await setImmediate();
    }
    const readable = indexes.filter((index) => index.ready && !ofIndexes.has(index.n));
    // Without the documents nothing can be said of the rows.
    const compared = ofDocuments.length === 0 ? await this.#compare(n, readable) : NO_ISSUES;
    const faultsOf = (index: IndexEntry) => {
      const rows = compared.indexes.get(index.n);
      const ofRows = rows === undefined ? [] : rowIssues({ ns, index: index.name }, rows);
      return [...(ofIndexes.get(index.n) ?? []), ...ofRows];
    };
    const faults = indexes.flatMap(faultsOf);
    const unreadable: DataIssue = { ns, kind: 'unreadable', count: compared.damaged, details: [] };
    return {
      documents: compared.documents,
      issues: [...ofDocuments, ...(compared.damaged > 0 ? [unreadable] : []), ...faults],
      broken: indexes
        .filter((index) => faultsOf(index).length > 0 || isSuperseded(index, indexes))
        .map((index) => ({ ns, index: index.name, n: index.n, isDamaged: ofIndexes.has(index.n) })),
    };
  }

  async #compare(n: number, indexes: readonly IndexEntry[]): Promise<CollectionIssues> {
    const task = { n, indexes: indexes.map((index) => index.n), ms: this.#options.ms };
    const slices = checkCollection(this.#writer, task);
    for (let slice = slices.next(); ; slice = slices.next()) {
      if (slice.done === true) return slice.value;
      await setImmediate();
    }
  }
}

const NO_ISSUES: CollectionIssues = { indexes: new Map(), damaged: 0, documents: 0 };

/** Opens the data file in a folder; undefined when there is none. Throws `unavailable` for one that cannot be read. */
export function openDataCheck(options: CheckOptions): DataCheck | undefined {
  const file = join(options.path, 'cloister.db');
  if (!existsSync(file)) return undefined;
  try {
    const connection = openConnection({ file, busyMs: BUSY_TIMEOUT_MS, cacheKilobytes: CACHE_SIZE_KB });
    if (!hasSchema(connection)) {
      connection.close();
      return undefined;
    }
    // What is gathered for an index may be as large as the data.
    connection.db.exec('pragma temp_store=file');
    return new DataFileCheck(createWriteContext(connection, createCatalogue(connection)), options);
  } catch (cause) {
    throw new StoreError('unavailable', { cause });
  }
}
