// Checks a data file for damage, with SQLite's own check of each table, and for inconsistent indexes; rebuilds broken indexes. A
// server may run at the same time.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { StoreError } from '../../../errors/errors.ts';
import type { IndexDifference, NamespaceIndexes } from '../../index-differences.ts';
import type { Namespace } from '../../ports.ts';
import {
  type CollectionEntry,
  createCatalogue,
  documentTable,
  hasSchema,
  type IndexEntry,
  indexTable,
} from '../data-file/catalogue.ts';
import { type Connection, inTransaction, openConnection } from '../data-file/connection.ts';
import { asStoreError } from '../data-file/storage-errors.ts';
import { isSuperseded } from '../indexes/index-build.ts';
import { createWriteContext, type WriteContext } from '../indexes/index-update.ts';
import { type CollectionIssues, checkCollection } from './collection-check.ts';
import type { RowIssues } from './index-check.ts';
import { buildMissing, compareDeclared, dropUndeclared } from './index-comparison.ts';
import { rebuildIndex } from './index-repair.ts';

/** What an issue is about: an index, the documents of a collection, or the file itself. */
interface IssueLocation {
  readonly ns?: Namespace;
  readonly index?: string;
}

/** `damaged`: pages, with the messages of SQLite in `details`. `unreadable`: documents that are not valid. */
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
  /** Indexes whose build has not ended. */
  readonly unfinished: readonly NamedIndex[];
  /** Indexes that `repair` rebuilds, also after an interrupted repair. */
  readonly broken: readonly BrokenIndex[];
}

/** `duplicate` and `parallel-arrays`: the documents violate the index. `damaged`: their pages cannot be read. */
type RepairOutcome = 'rebuilt' | 'gone' | 'duplicate' | 'parallel-arrays' | 'damaged';

/** What became of a difference. */
type MendOutcome = 'built' | 'dropped' | 'duplicate' | 'parallel-arrays' | 'damaged';

export interface DataCheck {
  check(): Promise<DataReport>;
  /** Rebuilds one index, completely or not at all. Queries do not use it until it is complete. */
  repair(broken: BrokenIndex): Promise<RepairOutcome>;
  /** Where the indexes differ from the declared ones. */
  compare(declared: readonly NamespaceIndexes[]): Promise<readonly IndexDifference[]>;
  /** Builds a missing index, drops one that is not declared. */
  mend(difference: IndexDifference): Promise<MendOutcome>;
  close(): void;
}

interface CheckOptions {
  /** The folder of the data file. */
  readonly path: string;
  /** Called between two slices of a repair, so that a server can get the lock. */
  readonly pause?: () => Promise<void>;
  /** Approximate milliseconds of a slice. */
  readonly ms?: number;
}

const SLICE_MS = 15;
const PAUSE_MS = 10;
const BUSY_TIMEOUT_MS = 5000;
const CACHE_SIZE_KB = 32_768;

const CATALOGUE_TABLES = ['sqlite_schema', 'collections', 'indexes', 'touched'];
const ROW_KINDS = ['missing', 'surplus', 'wrong', 'unmarked'] as const;

function rowIssues(place: IssueLocation, rows: RowIssues): readonly DataIssue[] {
  return ROW_KINDS.filter((kind) => rows[kind] > 0).map((kind) => {
    return { ...place, kind, count: rows[kind], details: [] };
  });
}

/** Result of one collection. */
interface CollectionResult {
  readonly documents: number;
  readonly issues: readonly DataIssue[];
  readonly broken: readonly BrokenIndex[];
}

/** What documents or pages prevent is an outcome. */
async function outcomeOf<T>(
  work: () => Promise<T>,
): Promise<T | 'damaged' | 'duplicate' | 'parallel-arrays'> {
  try {
    return await work();
  } catch (error) {
    const failure = asStoreError(error);
    const { reason } = failure;
    if (reason === 'damaged' || reason === 'duplicate' || reason === 'parallel-arrays') return reason;
    throw failure;
  }
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
      issues: [...damage, ...found.flatMap(({ issues }) => issues)],
      unfinished,
      broken: found.flatMap(({ broken }) => broken),
    };
  }

  async repair(broken: BrokenIndex): Promise<RepairOutcome> {
    return outcomeOf(() => rebuildIndex(this.#writer, broken, this.#options));
  }

  async compare(declared: readonly NamespaceIndexes[]): Promise<readonly IndexDifference[]> {
    try {
      return await compareDeclared(this.#writer, declared, this.#options);
    } catch (error) {
      throw asStoreError(error);
    }
  }

  async mend(difference: IndexDifference): Promise<MendOutcome> {
    return outcomeOf(async () => {
      if (difference.kind === 'undeclared') {
        dropUndeclared(this.#writer, difference);
        return 'dropped';
      }
      await buildMissing(this.#writer, difference, this.#options);
      return 'built';
    });
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
      const damage = this.#damage(place, indexTable(index.n));
      if (damage.length > 0) ofIndexes.set(index.n, damage);
      await setImmediate();
    }
    const readable = indexes.filter((index) => index.ready && !ofIndexes.has(index.n));
    // Rows are not compared with damaged documents.
    const compared = ofDocuments.length === 0 ? await this.#compare(n, readable) : NO_ISSUES;
    const issuesOf = (index: IndexEntry) => {
      const rows = compared.indexes.get(index.n);
      const ofRows = rows === undefined ? [] : rowIssues({ ns, index: index.name }, rows);
      return [...(ofIndexes.get(index.n) ?? []), ...ofRows];
    };
    const inIndexes = indexes.flatMap(issuesOf);
    const unreadable: DataIssue = { ns, kind: 'unreadable', count: compared.damaged, details: [] };
    return {
      documents: compared.documents,
      issues: [...ofDocuments, ...(compared.damaged > 0 ? [unreadable] : []), ...inIndexes],
      broken: indexes
        .filter((index) => issuesOf(index).length > 0 || isSuperseded(index, indexes))
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

/** Opens the data file in a folder; undefined if there is none. Throws `unavailable` if it cannot be read. */
export function openDataCheck(options: CheckOptions): DataCheck | undefined {
  const file = join(options.path, 'cloister.db');
  if (!existsSync(file)) return undefined;
  try {
    const connection = openConnection({ file, busyTimeoutMs: BUSY_TIMEOUT_MS, cacheSizeKb: CACHE_SIZE_KB });
    if (!hasSchema(connection)) {
      connection.close();
      return undefined;
    }
    // The rows of an index may be as large as the data.
    connection.db.exec('pragma temp_store=file');
    return new DataFileCheck(
      createWriteContext({ connection, catalogue: createCatalogue(connection) }),
      options,
    );
  } catch (cause) {
    throw new StoreError('unavailable', { cause });
  }
}

const CORRUPT = 11;
const NOT_A_DATABASE = 26;
/** One damaged page causes many messages. */
const MAX_MESSAGES = 3;

const PRIMARY_CODE = 0xff;

/** Whether the error says that pages of the file are damaged. */
export function isCorrupt(error: unknown): error is Error {
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  return [CORRUPT, NOT_A_DATABASE].includes(Number(error.errcode) & PRIMARY_CODE);
}

const SCHEMA = 'sqlite_schema';

function messagesAbout(connection: Connection, table: string): readonly string[] {
  const known = connection.statement(`select 1 from ${SCHEMA} where name = ?`).get(table);
  // Another process may have dropped the table.
  if (known === undefined && table !== SCHEMA) return [];
  const rows = connection.statement(`pragma integrity_check('${table}')`).all() as unknown as [string][];
  return rows.flatMap(([text]) => text.split('\n')).filter((text) => text !== 'ok');
}

/** Returns the first messages about the pages of a table and of SQLite's own indexes on it. */
export function checkTable(connection: Connection, table: string): readonly string[] {
  try {
    return inTransaction(connection, 'read', () => messagesAbout(connection, table)).slice(0, MAX_MESSAGES);
  } catch (error) {
    if (isCorrupt(error)) return [error.message];
    throw error;
  }
}
