// Reads stretches of an ordered table, id order or an index, without looking at what it skips or counts.
import type { CollectionEntry } from '../data-file/catalogue.ts';
import type { Connection } from '../data-file/connection.ts';
import { documentTable, indexTable } from '../data-file/schema.ts';
import type { WorkLimit } from '../data-file/work-limit.ts';
import type { Access, IndexAccess } from './plan-types.ts';
import type { ResultProjector } from './result-projector.ts';

type Key = string | Buffer;

interface TableRange {
  /** First key of the stretch. */
  readonly low: Key;
  /** First key beyond it. */
  readonly high: Key;
}

export interface OrderedTable {
  readonly name: string;
  readonly column: 'key' | 'id';
  readonly reversed: boolean;
  readonly ranges: readonly TableRange[];
  /** Texts of a stretch, in order; its parameters are low, high and a limit. */
  readonly textSql: string;
}

/** A plain parameter would be a number to plan by, and the statement prepared anew whenever it is bound. */
const OPAQUE_PARAMETER = '(? + 0)';

/** Rows passed over between two looks at the clock. */
const ROWS_PER_SLICE = 20_000;

/** A page may be read in one go when it cannot exceed this many UTF-16 units. */
export const MAX_UNCHECKED_TEXT = 1_000_000;

/** The table in which `access` finds documents in order and each once, or undefined. */
export function orderedTableFor(entry: CollectionEntry, access: Access): OrderedTable | undefined {
  if (access.kind === 'walk') return idTable(entry, access);
  return access.kind === 'index' && !access.mayRepeat ? keyTable(entry, access) : undefined;
}

function idTable(entry: CollectionEntry, access: Extract<Access, { kind: 'walk' }>): OrderedTable {
  const { reversed, low, high } = access;
  const name = documentTable(entry.n);
  const order = reversed ? 'desc' : 'asc';
  return {
    name,
    column: 'id',
    reversed,
    ranges: [{ low, high }],
    textSql: `select json from ${name} where id >= ? and id < ? order by id ${order} limit ${OPAQUE_PARAMETER}`,
  };
}

function keyTable(entry: CollectionEntry, access: IndexAccess): OrderedTable {
  const name = indexTable(access.index.n, access.caseInsensitive);
  const order = access.reversed ? 'desc' : 'asc';
  const textSql =
    `select d.json from ${name} i cross join ${documentTable(entry.n)} d on d.doc = i.doc ` +
    `where i.key >= ? and i.key < ? order by i.key ${order} limit ${OPAQUE_PARAMETER}`;
  const { reversed } = access;
  const stretches = reversed ? access.ranges.toReversed() : access.ranges;
  return { name, column: 'key', reversed, ranges: stretches, textSql };
}

export interface TableSearch {
  readonly connection: Connection;
  readonly entry: CollectionEntry;
  readonly meter: WorkLimit;
}

export interface TablePageSearch extends TableSearch {
  readonly project: ResultProjector;
}

/** The texts of one page. */
export function readPage(
  search: TablePageSearch,
  table: OrderedTable,
  page: { readonly skip: number; readonly limit: number },
): string[] {
  const texts: string[] = [];
  let toSkip = page.skip;
  for (const stretch of table.ranges) {
    const rest = toSkip === 0 ? { stretch, skipped: 0 } : skipRows(search, table, { stretch, skip: toSkip });
    toSkip -= rest.skipped;
    if (rest.stretch === undefined) continue;
    readTexts(search, table, { stretch: rest.stretch, limit: page.limit, into: texts });
    if (texts.length >= page.limit) break;
  }
  return texts;
}

function readTexts(
  { connection, entry, meter, project: keep }: TablePageSearch,
  table: OrderedTable,
  part: { readonly stretch: TableRange; readonly limit: number; readonly into: string[] },
): void {
  const { into, limit } = part;
  const statement = connection.statement(table.textSql);
  const left = limit - into.length;
  const values = [part.stretch.low, part.stretch.high, left] as const;
  if (Math.min(left, entry.documents) * entry.largest <= MAX_UNCHECKED_TEXT) {
    const rows = statement.all(...values) as unknown as [string][];
    for (const row of rows) into.push(keep(row[0]));
    return;
  }
  for (const [text] of statement.iterate(...values) as unknown as Iterable<[string]>) {
    meter.tick(text.length);
    into.push(keep(text));
  }
}

interface SkipResult {
  /** What is left, undefined when the stretch has no more rows. */
  readonly stretch: TableRange | undefined;
  readonly skipped: number;
}

function skipRows(
  search: TableSearch,
  table: OrderedTable,
  from: { readonly stretch: TableRange; readonly skip: number },
): SkipResult {
  const { connection, meter } = search;
  const { name, column } = table;
  const order = table.reversed ? 'desc' : 'asc';
  const statement = connection.statement(
    `select ${column} from ${name} where ${column} >= ? and ${column} < ? order by ${column} ${order} limit 1 offset ${OPAQUE_PARAMETER}`,
  );
  let { stretch } = from;
  let skipped = 0;
  while (skipped < from.skip) {
    meter.tick(0);
    const step = Math.min(ROWS_PER_SLICE, from.skip - skipped);
    const row = statement.get(stretch.low, stretch.high, step) as unknown as
      | [string | Uint8Array]
      | undefined;
    if (row === undefined) {
      return { stretch: undefined, skipped: skipped + countRange(search, table, stretch) };
    }
    stretch = rangeFrom(stretch, row[0], table.reversed);
    skipped += step;
  }
  return { stretch, skipped };
}

/** What is left of a stretch that is read from `key` on, `key` included. */
function rangeFrom(stretch: TableRange, key: string | Uint8Array, reversed: boolean): TableRange {
  if (!reversed) return { ...stretch, low: typeof key === 'string' ? key : Buffer.from(key) };
  const high = typeof key === 'string' ? `${key}\0` : Buffer.concat([key, Buffer.alloc(1)]);
  return { ...stretch, high };
}

/** How many rows the table's stretches hold. */
export function countRows(search: TableSearch, table: OrderedTable): number {
  return table.ranges.reduce((sum, stretch) => sum + countRange(search, table, stretch), 0);
}

function countRange({ connection, meter }: TableSearch, table: OrderedTable, whole: TableRange): number {
  const { name, column } = table;
  const statement = connection.statement(
    `select count(*), max(k) from (select ${column} k from ${name} ` +
      `where ${column} >= ? and ${column} < ? order by ${column} limit ${ROWS_PER_SLICE})`,
  );
  let count = 0;
  let { low } = whole;
  for (;;) {
    meter.tick(0);
    const row = statement.get(low, whole.high) as unknown as [number, string | Uint8Array | null];
    count += row[0];
    if (row[0] < ROWS_PER_SLICE || row[1] === null) return count;
    low = typeof row[1] === 'string' ? `${row[1]}\0` : Buffer.concat([row[1], Buffer.alloc(1)]);
  }
}

/** How many rows the access reads, counted up to `most`. */
export function estimateRows(connection: Connection, access: IndexAccess, most: number): number {
  const name = indexTable(access.index.n, access.caseInsensitive);
  const statement = connection.statement(
    `select count(*) from (select 1 from ${name} where key >= ? and key < ? limit ${OPAQUE_PARAMETER})`,
  );
  let count = 0;
  for (const { low, high } of access.ranges) {
    if (count >= most) break;
    count += Number((statement.get(low, high, most - count) as unknown as [number])[0]);
  }
  return count;
}
