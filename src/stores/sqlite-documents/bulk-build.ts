// Builds the index of a large collection: its rows are gathered beside the data file, sorted, then written in their order,
// which touches each page once. Writers keep the rows of what they touch meanwhile, so the builder skips those documents.
import type { StoredDocument } from '../ports.ts';
import type { CollectionEntry, IndexEntry } from './catalogue.ts';
import { changeRows, type Writer } from './commit.ts';
import { inTransaction } from './connection.ts';
import { findIndex } from './index-build.ts';
import { createDeadline } from './meter.ts';
import { documentTable, indexTable } from './schema.ts';

/** `gone`: the index was dropped meanwhile. `lost`: nothing was gathered by this thread. */
export type GatherState = 'gathering' | 'gathered' | 'gone';
export type FillState = 'filling' | 'ready' | 'gone' | 'lost';

export interface BulkBuild {
  /** Reads the next documents, for about `ms`. Locks nothing. Throws `parallel-arrays`. */
  gather(n: number, ms: number): GatherState;
  /** Writes the next sorted rows, for about `ms`, in one transaction. Throws `duplicate`. */
  fill(n: number, ms: number): FillState;
}

interface Found {
  readonly entry: CollectionEntry;
  readonly index: IndexEntry;
}

interface Progress {
  readonly n: number;
  /** The last document gathered. */
  doc: number;
  arrays: number;
  gathered: boolean;
  /** The last row written, in the order of the keys, exact rows before folded ones. */
  row: number;
}

/** Rows written between two looks at the clock. */
const STEP = 500;

const TABLES = `
  drop table if exists temp.gathered;
  drop table if exists temp.sorted;
  create temp table gathered (folded integer not null, key blob not null, doc integer not null);
`;

const SORT = `
  create temp table sorted as select folded, key, doc from temp.gathered order by folded, key;
  drop table temp.gathered;
`;

/** Builds one index at a time on `writer`; another number begins anew. */
export function createBulkBuild(writer: Writer): BulkBuild {
  const { connection, catalogue } = writer;
  let progress: Progress | undefined;

  const begin = (n: number): Progress => {
    connection.db.exec(TABLES);
    return { n, doc: 0, arrays: 0, gathered: false, row: 0 };
  };

  return {
    gather(n, ms) {
      const end = performance.now() + ms;
      catalogue.refresh();
      const found = findIndex(writer, n);
      if (found === undefined) return 'gone';
      if (progress?.n !== n || progress.gathered) progress = begin(n);
      progress.gathered = inTransaction(connection, 'read', () =>
        gatherSlice(writer, found, { progress: progress as Progress, end }),
      );
      if (!progress.gathered) return 'gathering';
      connection.db.exec(SORT);
      return 'gathered';
    },
    fill(n, ms) {
      const current = progress;
      if (current?.n !== n || !current.gathered) return 'lost';
      const row = current.row;
      try {
        return inTransaction(connection, 'immediate', () => {
          catalogue.refresh();
          const found = findIndex(writer, n);
          if (found === undefined) return 'gone';
          return fillSlice(writer, found, { progress: current, end: performance.now() + ms });
        });
      } catch (error) {
        current.row = row;
        catalogue.invalidate();
        throw error;
      }
    },
  };
}

interface Slice {
  readonly progress: Progress;
  readonly end: number;
}

/** True when the last document was reached. */
function gatherSlice(writer: Writer, { entry, index }: Found, { progress, end }: Slice): boolean {
  const { connection } = writer;
  const rowsOf = writer.rowMaker(index);
  const meter = createDeadline(undefined);
  const add = connection.statement('insert into temp.gathered values (?, ?, ?)');
  const sql = `select doc, json from ${documentTable(entry.n)} where doc > ? order by doc`;
  const documents = connection.statement(sql).iterate(progress.doc);
  for (const [doc, json] of documents as unknown as Iterable<[number, string]>) {
    const rows = rowsOf(JSON.parse(json) as StoredDocument, meter);
    for (const key of rows.exact) add.run(0, key, doc);
    for (const key of rows.folded) add.run(1, key, doc);
    progress.arrays |= rows.arrays;
    progress.doc = doc;
    if (performance.now() > end) return false;
  }
  return true;
}

function fillSlice(writer: Writer, { entry, index }: Found, { progress, end }: Slice): FillState {
  const { connection, catalogue } = writer;
  const last = connection.statement('select max(rowid) from temp.sorted').get() as unknown as [number | null];
  const total = last[0] ?? 0;
  while (progress.row < total) {
    const to = progress.row + STEP;
    if (index.definition.unique) checkedStep(writer, { entry, index }, { from: progress.row, to });
    else plainStep(writer, index, { from: progress.row, to });
    progress.row = to;
    if (performance.now() > end) return 'filling';
  }
  index.multikey |= progress.arrays;
  index.ready = true;
  catalogue.saveIndex(index);
  connection.statement('delete from touched where idx = ?').run(index.n);
  connection.db.exec('drop table temp.sorted');
  return 'ready';
}

interface Step {
  readonly from: number;
  readonly to: number;
}

const UNTOUCHED = 'doc not in (select doc from touched where idx = ?)';

function plainStep({ connection }: Writer, { n, folded }: IndexEntry, { from, to }: Step): void {
  for (const fold of folded ? [0, 1] : [0]) {
    const sql =
      `insert or replace into ${indexTable(n, fold === 1)} select key, doc from temp.sorted ` +
      `where rowid > ? and rowid <= ? and folded = ${fold} and ${UNTOUCHED}`;
    connection.statement(sql).run(from, to, n);
  }
}

/** Document by document, because each row of a unique index has to be looked at. */
function checkedStep(writer: Writer, { entry, index }: Found, { from, to }: Step): void {
  const { connection } = writer;
  const sql = `select distinct doc from temp.sorted where rowid > ? and rowid <= ? and ${UNTOUCHED}`;
  const docs = connection.statement(sql).all(from, to, index.n) as unknown as [number][];
  const read = connection.statement(`select json from ${documentTable(entry.n)} where doc = ?`);
  for (const [doc] of docs) {
    const [json] = read.get(doc) as unknown as [string];
    const after = JSON.parse(json) as StoredDocument;
    changeRows(writer, index, { doc, before: undefined, after, meter: createDeadline(undefined) });
  }
}
