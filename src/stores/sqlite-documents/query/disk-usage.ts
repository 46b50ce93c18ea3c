// Measures how much of the data file a collection and each of its indexes take.
import type { Namespace } from '../../ports.ts';
import type { Connection } from '../data-file/connection.ts';
import { documentTable, indexTable } from '../data-file/schema.ts';
import { type WorkLimit, WorkLimitExceeded } from '../data-file/work-limit.ts';
import type { ReadContext } from './execute.ts';

/** Bytes. */
export interface DiskUsage {
  /** The texts of all documents together. */
  readonly text: number;
  /** What they take of the file. */
  readonly documents: number;
  /** Each declared index by its name, and the one over `_id` as `_id_`. */
  readonly indexes: Readonly<Record<string, number>>;
}

function tableBytes(connection: Connection, name: string, meter: WorkLimit): number {
  let bytes = 0;
  const rows = connection.statement('select pgsize from dbstat where name = ?').iterate(name);
  for (const [size] of rows as unknown as Iterable<[number]>) {
    meter.tick(0);
    bytes += size;
  }
  return bytes;
}

/** Rows between two looks at the clock. */
const ROWS_PER_SLICE = 20_000;

/** SQLite takes the lengths from the rows' headers: no text is read. */
function textUnits(connection: Connection, table: string, meter: WorkLimit): number {
  const statement = connection.statement(
    'select sum(bytes), max(doc) from ' +
      `(select doc, octet_length(json) bytes from ${table} where doc > ? order by doc limit ${ROWS_PER_SLICE})`,
  );
  let bytes = 0;
  let last: number | null = -1;
  while (last !== null) {
    meter.tick(0);
    const row = statement.get(last) as unknown as readonly [bytes: number | null, last: number | null];
    bytes += row[0] ?? 0;
    last = row[1];
  }
  return bytes;
}

export interface DiskUsageOptions {
  readonly meter: WorkLimit;
  /** Collections with more text than this are refused with `OverBudget`. */
  readonly mostText: number;
}

/** Looks at every page, so it takes time in proportion to the data. Throws what `meter` throws. */
export function measureDiskUsage(
  { connection, catalogue }: ReadContext,
  ns: Namespace,
  { meter, mostText }: DiskUsageOptions,
): DiskUsage {
  catalogue.refresh();
  const entry = catalogue.get(ns);
  if (entry === undefined) return { text: 0, documents: 0, indexes: {} };
  if (entry.bytes > mostText) throw new WorkLimitExceeded();
  const table = documentTable(entry.n);
  const sizes = new Map([['_id_', tableBytes(connection, `sqlite_autoindex_${table}_1`, meter)]]);
  for (const { n, name, folded } of entry.indexes) {
    const exact = tableBytes(connection, indexTable(n, false), meter);
    sizes.set(name, exact + (folded ? tableBytes(connection, indexTable(n, true), meter) : 0));
  }
  return {
    text: textUnits(connection, table, meter),
    documents: tableBytes(connection, table, meter),
    indexes: Object.fromEntries(sizes),
  };
}
