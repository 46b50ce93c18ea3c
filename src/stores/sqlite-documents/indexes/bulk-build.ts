// Builds the indexes of large collections: rows are gathered beside the data file, sorted, then written in their order,
// which touches each page once. Writers keep the rows of what they touch meanwhile, so the builder skips those documents.
import { updateIndexRows, type WriteContext } from '../commit/apply-writes.ts';
import { inTransaction, isBusy } from '../data-file/connection.ts';
import { parseDocument } from '../data-file/document-text.ts';
import { documentTable, indexTable } from '../data-file/schema.ts';
import { createDeadlineLimit } from '../data-file/work-limit.ts';
import { completeIndex, findIndex, type LocatedIndex } from './index-build.ts';

/** `gone`: the index was dropped meanwhile. `lost`: nothing is gathered for it on this connection. */
export type GatherState = 'gathering' | 'gathered' | 'ready' | 'gone';
export type FillState = 'filling' | 'ready' | 'gone' | 'lost';

/** Any number of builds, told apart by the numbers of their indexes. After an error the build begins anew. */
export interface BulkBuilds {
  /** Reads the next documents, for about `ms`. Locks nothing. Throws `parallel-arrays`. */
  gather(n: number, ms: number): GatherState;
  /** Writes the next sorted rows, for about `ms`, in one transaction. Throws `duplicate`. */
  fill(n: number, ms: number): FillState;
  /** Forgets what was gathered: to be called at the end of every build, however it ended. */
  discard(n: number): void;
}

/** What is known of one build beside its temporary tables. */
interface BuildProgress {
  readonly n: number;
  /** The last document gathered. */
  doc: number;
  /** The last document to gather. Writers know of the index, and write the rows of every later one themselves. */
  last: number | undefined;
  arrays: number;
  gathered: boolean;
  /** The last row written, in the order of the keys, exact rows before folded ones. */
  row: number;
}

/** Rows written between two looks at the clock. */
const ROWS_PER_STEP = 500;

const gatheredTable = (n: number) => `temp.gathered_${n}`;
const sortedTable = (n: number) => `temp.sorted_${n}`;

class TemporaryTableBuilds implements BulkBuilds {
  readonly #writer: WriteContext;
  readonly #builds = new Map<number, BuildProgress>();

  constructor(writer: WriteContext) {
    this.#writer = writer;
  }

  gather(n: number, ms: number): GatherState {
    const end = performance.now() + ms;
    return this.#orBeginAnew(n, () => {
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
    return this.#orBeginAnew(n, () => {
      try {
        return this.#fillSlice(progress, performance.now() + ms);
      } catch (error) {
        this.#writer.catalogue.invalidate();
        if (!isBusy(error)) throw error;
        // Another process holds the file: nothing was written, and the next slice writes it.
        progress.row = row;
        return 'filling';
      }
    });
  }

  discard(n: number): void {
    this.#builds.delete(n);
    const tables = [gatheredTable(n), sortedTable(n)];
    this.#writer.connection.db.exec(tables.map((table) => `drop table if exists ${table};`).join(' '));
  }

  /** A failed step leaves nothing to go on with: its rows were rolled back, but not what is known of its progress. */
  #orBeginAnew<T>(n: number, work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.#builds.delete(n);
      throw error;
    }
  }

  #begin(n: number): BuildProgress {
    this.discard(n);
    const columns = 'folded integer not null, key blob not null, doc integer not null';
    this.#writer.connection.db.exec(`create temp table gathered_${n} (${columns})`);
    const progress: BuildProgress = { n, doc: 0, last: undefined, arrays: 0, gathered: false, row: 0 };
    this.#builds.set(n, progress);
    return progress;
  }

  #gatherSlice(progress: BuildProgress, end: number): GatherState {
    const { connection, catalogue } = this.#writer;
    return inTransaction(connection, 'read', () => {
      catalogue.refresh();
      const found = findIndex(this.#writer, progress.n);
      if (found === undefined) return 'gone';
      if (found.index.ready) return 'ready';
      return gatherRows(this.#writer, found, { progress, end }) ? 'gathered' : 'gathering';
    });
  }

  #sort(progress: BuildProgress): void {
    const { n } = progress;
    this.#writer.connection.db.exec(`
      create temp table sorted_${n} as select folded, key, doc from ${gatheredTable(n)} order by folded, key;
      drop table ${gatheredTable(n)};
    `);
    progress.gathered = true;
  }

  #fillSlice(progress: BuildProgress, end: number): FillState {
    const { connection, catalogue } = this.#writer;
    return inTransaction(connection, 'immediate', () => {
      catalogue.refresh();
      const found = findIndex(this.#writer, progress.n);
      if (found === undefined) return 'gone';
      // Another process has built it. Writers note no touched documents any more, so what was gathered may be outdated.
      if (found.index.ready) return 'ready';
      if (!fillRows(this.#writer, found, { progress, end })) return 'filling';
      found.index.multikey |= progress.arrays;
      completeIndex(this.#writer, found);
      return 'ready';
    });
  }
}

/** Builds on the connection of `writer`, which keeps what is gathered in temporary tables. */
export function createBulkBuilds(writer: WriteContext): BulkBuilds {
  return new TemporaryTableBuilds(writer);
}

interface SliceOptions {
  readonly progress: BuildProgress;
  readonly end: number;
}

/** True when the last document was reached. */
function gatherRows(writer: WriteContext, found: LocatedIndex, { progress, end }: SliceOptions): boolean {
  const { entry, index } = found;
  const { connection } = writer;
  const rowsOf = writer.rowEncoder(index);
  const meter = createDeadlineLimit(undefined);
  progress.last ??= lastDocument(writer, found);
  const add = connection.statement(`insert into ${gatheredTable(index.n)} values (?, ?, ?)`);
  const sql = `select doc, json from ${documentTable(entry.n)} where doc > ? and doc <= ? order by doc`;
  const documents = connection.statement(sql).iterate(progress.doc, progress.last);
  for (const [doc, json] of documents as unknown as Iterable<[number, string]>) {
    const rows = rowsOf(parseDocument(json), meter);
    for (const key of rows.exact) add.run(0, key, doc);
    for (const key of rows.caseFolded) add.run(1, key, doc);
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

/** True when the last row was written. */
function fillRows(writer: WriteContext, found: LocatedIndex, { progress, end }: SliceOptions): boolean {
  const { n } = progress;
  const last = writer.connection.statement(`select max(rowid) from ${sortedTable(n)}`).get();
  const total = (last as unknown as [number | null])[0] ?? 0;
  while (progress.row < total) {
    const step = { from: progress.row, to: progress.row + ROWS_PER_STEP };
    if (found.index.definition.unique) fillUniqueStep(writer, found, step);
    else fillStep(writer, found, step);
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
  const { n, folded } = index;
  for (const fold of folded ? [0, 1] : [0]) {
    const sql =
      `insert or replace into ${indexTable(n, fold === 1)} select key, doc from ${sortedTable(n)} ` +
      `where rowid > ? and rowid <= ? and folded = ${fold} and ${NOT_TOUCHED}`;
    connection.statement(sql).run(from, to, n);
  }
}

/** Document by document, because each row of a unique index has to be looked at. All of its rows come with the first. */
function fillUniqueStep(writer: WriteContext, { entry, index }: LocatedIndex, { from, to }: RowRange): void {
  const { connection } = writer;
  const written = `select 1 from ${indexTable(index.n, false)} i where i.key = s.key and i.doc = s.doc`;
  const sql =
    `select distinct doc from ${sortedTable(index.n)} s where rowid > ? and rowid <= ? and folded = 0 ` +
    `and ${NOT_TOUCHED} and not exists (${written})`;
  const docs = connection.statement(sql).all(from, to, index.n) as unknown as [number][];
  const read = connection.statement(`select json from ${documentTable(entry.n)} where doc = ?`);
  for (const [doc] of docs) {
    const [json] = read.get(doc) as unknown as [string];
    const after = parseDocument(json);
    updateIndexRows(writer, index, { doc, before: undefined, after, meter: createDeadlineLimit(undefined) });
  }
}
