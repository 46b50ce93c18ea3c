// Measures the size of a collection and of each of its indexes in the data file.
import type { Namespace } from '../../ports.ts';
import { type DataFile, documentTable, indexTable } from '../data-file/catalogue.ts';
import { type Connection, type WorkLimit, WorkLimitExceeded } from '../data-file/connection.ts';

/** Bytes. */
export interface DiskUsage {
  /** Text of all documents. */
  readonly text: number;
  /** Pages of the documents. */
  readonly documents: number;
  /** Pages by index name; the index on `_id` is `_id_`. */
  readonly indexes: Readonly<Record<string, number>>;
}

function tableBytes(connection: Connection, name: string, workLimit: WorkLimit): number {
  let bytes = 0;
  const rows = connection.statement('select pgsize from dbstat where name = ?').iterate(name);
  for (const [size] of rows as unknown as Iterable<[number]>) {
    workLimit.tick(0);
    bytes += size;
  }
  return bytes;
}

/** Rows between two checks of the work limit. */
const ROWS_PER_SLICE = 20_000;

/** SQLite takes the lengths from the row headers: no text is read. */
function textUnits(connection: Connection, table: string, workLimit: WorkLimit): number {
  const statement = connection.statement(
    'select sum(bytes), max(doc) from ' +
      `(select doc, octet_length(json) bytes from ${table} where doc > ? order by doc limit ${ROWS_PER_SLICE})`,
  );
  let bytes = 0;
  let last: number | null = -1;
  while (last !== null) {
    workLimit.tick(0);
    const row = statement.get(last) as unknown as readonly [bytes: number | null, last: number | null];
    bytes += row[0] ?? 0;
    last = row[1];
  }
  return bytes;
}

export interface DiskUsageOptions {
  readonly workLimit: WorkLimit;
  /** Collections with more text than this are refused with `OverBudget`. */
  readonly maxText: number;
}

/** Reads every page header: the time is proportional to the data. Throws what `workLimit` throws. */
export function measureDiskUsage(
  { connection, catalogue }: DataFile,
  ns: Namespace,
  { workLimit, maxText }: DiskUsageOptions,
): DiskUsage {
  catalogue.refresh();
  const entry = catalogue.get(ns);
  if (entry === undefined) return { text: 0, documents: 0, indexes: {} };
  if (entry.bytes > maxText) throw new WorkLimitExceeded();
  const table = documentTable(entry.n);
  const sizes = new Map([['_id_', tableBytes(connection, `sqlite_autoindex_${table}_1`, workLimit)]]);
  for (const { n, name } of entry.indexes) sizes.set(name, tableBytes(connection, indexTable(n), workLimit));
  return {
    text: textUnits(connection, table, workLimit),
    documents: tableBytes(connection, table, workLimit),
    indexes: Object.fromEntries(sizes),
  };
}
