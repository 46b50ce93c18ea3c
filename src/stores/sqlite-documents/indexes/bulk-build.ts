// Builds indexes of large collections: gathers the rows in a temporary table, sorts them, then writes them in key order, so that
// each page is written once. Writes during a build update the rows of their documents themselves, and the build skips those.

import { documentTable, indexTable } from '../data-file/catalogue.ts';
import { createDeadlineLimit, inTransaction, isBusy, parseDocument } from '../data-file/connection.ts';
import { completeIndex, findIndex, type LocatedIndex } from './index-build.ts';
import { updateIndexRows, type WriteContext } from './index-update.ts';

/** `gone`: the index was dropped in the meantime. `lost`: this connection has gathered no rows for it. */
export type GatherState = 'gathering' | 'gathered' | 'ready' | 'gone';
export type FillState = 'filling' | 'ready' | 'gone' | 'lost';

/** Any number of builds, identified by the numbers of their indexes. After an error a build starts over. */
export interface BulkBuilds {
  /** Gathers rows of the next documents for about `ms`. Takes no lock. Throws `parallel-arrays`. */
  gather(n: number, ms: number): GatherState;
  /** Writes the next sorted rows, for about `ms`, in one transaction. Throws `duplicate`. */
  fill(n: number, ms: number): FillState;
  /** Deletes the gathered rows. Call it at the end of every build, also of a failed one. */
  discard(n: number): void;
}

/** State of one build besides its temporary tables. */
interface BuildProgress {
  readonly n: number;
  /** The last document gathered. */
  doc: number;
  /** The last document to gather. The rows of later documents are written by the commits that insert them. */
  last: number | undefined;
  arrays: number;
  gathered: boolean;
  /** The last row written, in key order. */
  row: number;
}

/** Rows written between two checks of the clock. */
const ROWS_PER_STEP = 500;

const gatheredTable = (n: number) => `temp.gathered_${n}`;
const sortedTable = (n: number) => `temp.sorted_${n}`;

class TemporaryTableBuilds implements BulkBuilds {
  readonly #context: WriteContext;
  readonly #builds = new Map<number, BuildProgress>();

  constructor(context: WriteContext) {
    this.#context = context;
  }

  gather(n: number, ms: number): GatherState {
    const end = performance.now() + ms;
    return this.#orStartOver(n, () => {
      const known = this.#builds.get(n);
      const progress = known === undefined || known.gathered ? this.#begin(n) : known;
      const state = this.#gatherSlice(progress, end);
      if (state === 'gathered') this.#sort(progress);
      return state;
    });
  }

  fill(n: number, ms: number): FillState {
    const progress = this.#builds.get(n);
    if (progress?.gathered !== true) return 'lost';
    const { row } = progress;
    return this.#orStartOver(n, () => {
      try {
        return this.#fillSlice(progress, performance.now() + ms);
      } catch (error) {
        this.#context.catalogue.invalidate();
        if (!isBusy(error)) throw error;
        // Another process holds the lock: nothing was written, the next slice repeats it.
        progress.row = row;
        return 'filling';
      }
    });
  }

  discard(n: number): void {
    this.#builds.delete(n);
    const tables = [gatheredTable(n), sortedTable(n)];
    this.#context.connection.db.exec(tables.map((table) => `drop table if exists ${table};`).join(' '));
  }

  /** Deletes the state of a build whose step failed: its rows were rolled back, but `BuildProgress` was not. */
  #orStartOver<T>(n: number, work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.#builds.delete(n);
      throw error;
    }
  }

  #begin(n: number): BuildProgress {
    this.discard(n);
    const columns = 'key blob not null, doc integer not null';
    this.#context.connection.db.exec(`create temp table gathered_${n} (${columns})`);
    const progress: BuildProgress = { n, doc: 0, last: undefined, arrays: 0, gathered: false, row: 0 };
    this.#builds.set(n, progress);
    return progress;
  }

  #gatherSlice(progress: BuildProgress, end: number): GatherState {
    const { connection, catalogue } = this.#context;
    return inTransaction(connection, 'read', () => {
      catalogue.refresh();
      const found = findIndex(this.#context, progress.n);
      if (found === undefined) return 'gone';
      if (found.index.ready) return 'ready';
      return gatherRows(this.#context, found, { progress, end }) ? 'gathered' : 'gathering';
    });
  }

  #sort(progress: BuildProgress): void {
    const { n } = progress;
    this.#context.connection.db.exec(`
      create temp table sorted_${n} as select key, doc from ${gatheredTable(n)} order by key;
      drop table ${gatheredTable(n)};
    `);
    progress.gathered = true;
  }

  #fillSlice(progress: BuildProgress, end: number): FillState {
    const { connection, catalogue } = this.#context;
    return inTransaction(connection, 'immediate', () => {
      catalogue.refresh();
      const found = findIndex(this.#context, progress.n);
      if (found === undefined) return 'gone';
      // Another process has built it. Writes no longer mark their documents, so the gathered rows may be outdated.
      if (found.index.ready) return 'ready';
      if (!fillRows(this.#context, found, { progress, end })) return 'filling';
      found.index.multikey |= progress.arrays;
      completeIndex(this.#context, found);
      return 'ready';
    });
  }
}

/** Creates the builds of one connection, which holds their temporary tables. */
export function createBulkBuilds(context: WriteContext): BulkBuilds {
  return new TemporaryTableBuilds(context);
}

interface SliceOptions {
  readonly progress: BuildProgress;
  readonly end: number;
}

/** Returns true at the last document. */
function gatherRows(context: WriteContext, found: LocatedIndex, { progress, end }: SliceOptions): boolean {
  const { entry, index } = found;
  const { connection } = context;
  const rowsOf = context.rowEncoder(index);
  const workLimit = createDeadlineLimit(undefined);
  progress.last ??= lastDocument(context, found);
  const add = connection.statement(`insert into ${gatheredTable(index.n)} values (?, ?)`);
  const sql = `select doc, json from ${documentTable(entry.n)} where doc > ? and doc <= ? order by doc`;
  const documents = connection.statement(sql).iterate(progress.doc, progress.last);
  for (const [doc, json] of documents as unknown as Iterable<[number, string]>) {
    const rows = rowsOf(parseDocument(json), workLimit);
    for (const key of rows.keys) add.run(key, doc);
    progress.arrays |= rows.arrays;
    progress.doc = doc;
    if (performance.now() > end) return false;
  }
  return true;
}

function lastDocument({ connection }: WriteContext, { entry }: LocatedIndex): number {
  const row = connection.statement(`select max(doc) from ${documentTable(entry.n)}`).get();
  return (row as unknown as [number | null])[0] ?? 0;
}

/** Returns true after the last row. */
function fillRows(context: WriteContext, found: LocatedIndex, { progress, end }: SliceOptions): boolean {
  const { n } = progress;
  const last = context.connection.statement(`select max(rowid) from ${sortedTable(n)}`).get();
  const total = (last as unknown as [number | null])[0] ?? 0;
  while (progress.row < total) {
    const step = { from: progress.row, to: progress.row + ROWS_PER_STEP };
    if (found.index.definition.unique) fillUniqueStep(context, found, step);
    else fillStep(context, found, step);
    progress.row = step.to;
    if (performance.now() > end) return false;
  }
  return true;
}

interface RowRange {
  readonly from: number;
  readonly to: number;
}

const NOT_TOUCHED = 'doc not in (select doc from touched where idx = ?)';

function fillStep({ connection }: WriteContext, { index }: LocatedIndex, { from, to }: RowRange): void {
  const { n } = index;
  const sql =
    `insert or replace into ${indexTable(n)} select key, doc from ${sortedTable(n)} ` +
    `where rowid > ? and rowid <= ? and ${NOT_TOUCHED}`;
  connection.statement(sql).run(from, to, n);
}

/** Writes all rows of a document at once: each row of a unique index has to be checked. */
function fillUniqueStep(context: WriteContext, { entry, index }: LocatedIndex, { from, to }: RowRange): void {
  const { connection } = context;
  const written = `select 1 from ${indexTable(index.n)} i where i.key = s.key and i.doc = s.doc`;
  const sql =
    `select distinct doc from ${sortedTable(index.n)} s where rowid > ? and rowid <= ? ` +
    `and ${NOT_TOUCHED} and not exists (${written})`;
  const docs = connection.statement(sql).all(from, to, index.n) as unknown as [number][];
  const read = connection.statement(`select json from ${documentTable(entry.n)} where doc = ?`);
  for (const [doc] of docs) {
    const [json] = read.get(doc) as unknown as [string];
    const after = parseDocument(json);
    updateIndexRows(context, index, {
      doc,
      before: undefined,
      after,
      workLimit: createDeadlineLimit(undefined),
    });
  }
}
