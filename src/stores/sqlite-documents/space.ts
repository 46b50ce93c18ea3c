// Measures how much of the data file a collection and each of its indexes take.
import type { Namespace } from '../ports.ts';
import type { Connection } from './connection.ts';
import { type Meter, OverBudget } from './meter.ts';
import type { Reader } from './read.ts';
import { documentTable, indexTable } from './schema.ts';

/** Bytes. */
export interface Space {
  readonly documents: number;
  /** Each declared index by its name, and the one over `_id` as `_id_`. */
  readonly indexes: Readonly<Record<string, number>>;
}

function pagesOf(connection: Connection, name: string, meter: Meter): number {
  let bytes = 0;
  const rows = connection.statement('select pgsize from dbstat where name = ?').iterate(name);
  for (const [size] of rows as unknown as Iterable<[number]>) {
    meter.tick(0);
    bytes += size;
  }
  return bytes;
}

export interface SpaceWork {
  readonly meter: Meter;
  /** Collections with more text than this are refused with `OverBudget`. */
  readonly mostText: number;
}

/** Looks at every page, so it takes time in proportion to the data. Throws what `meter` throws. */
export function measure(
  { connection, catalogue }: Reader,
  ns: Namespace,
  { meter, mostText }: SpaceWork,
): Space {
  catalogue.refresh();
  const entry = catalogue.get(ns);
  if (entry === undefined) return { documents: 0, indexes: {} };
  if (entry.bytes > mostText) throw new OverBudget();
  const table = documentTable(entry.n);
  const sizes = new Map([['_id_', pagesOf(connection, `sqlite_autoindex_${table}_1`, meter)]]);
  for (const { n, name, folded } of entry.indexes) {
    const exact = pagesOf(connection, indexTable(n, false), meter);
    sizes.set(name, exact + (folded ? pagesOf(connection, indexTable(n, true), meter) : 0));
  }
  return { documents: pagesOf(connection, table, meter), indexes: Object.fromEntries(sizes) };
}
