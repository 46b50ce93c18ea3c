// Reads stretches of an ordered table, id order or an index, without looking at what it skips or counts.
import type { CollectionEntry } from './catalogue.ts';
import type { Connection } from './connection.ts';
import type { Keep } from './keep.ts';
import type { Meter } from './meter.ts';
import type { Access, IndexAccess } from './plan-types.ts';
import { documentTable, indexTable } from './schema.ts';

type Key = string | Buffer;

interface Stretch {
  /** First key of the stretch. */
  readonly low: Key;
  /** First key beyond it. */
  readonly high: Key;
}

export interface OrderedTable {
  readonly name: string;
  readonly column: 'key' | 'id';
  readonly reversed: boolean;
  readonly stretches: readonly Stretch[];
  /** Texts of a stretch, in order; its parameters are low, high and a limit. */
  readonly textSql: string;
}

/** A plain parameter would be a number to plan by, and the statement prepared anew whenever it is bound. */
const BOUND = '(? + 0)';

/** Rows passed over between two looks at the clock. */
const SLICE = 20_000;

/** A page may be read in one go when it cannot exceed this many UTF-16 units. */
export const SMALL_PAGE = 1_000_000;

/** The table in which `access` finds documents in order and each once, or undefined. */
export function orderedTable(entry: CollectionEntry, access: Access): OrderedTable | undefined {
  if (access.kind === 'walk') return idTable(entry, access);
  return access.kind === 'index' && !access.repeats ? keyTable(entry, access) : undefined;
}

function idTable(entry: CollectionEntry, access: Extract<Access, { kind: 'walk' }>): OrderedTable {
  const { reversed, low, high } = access;
  const name = documentTable(entry.n);
  const order = reversed ? 'desc' : 'asc';
  return {
    name,
    column: 'id',
    reversed,
    stretches: [{ low, high }],
    textSql: `select json from ${name} where id >= ? and id < ? order by id ${order} limit ${BOUND}`,
  };
}

function keyTable(entry: CollectionEntry, access: IndexAccess): OrderedTable {
  const name = indexTable(access.index.n, access.folded);
  const order = access.reversed ? 'desc' : 'asc';
  const textSql =
    `select d.json from ${name} i cross join ${documentTable(entry.n)} d on d.doc = i.doc ` +
    `where i.key >= ? and i.key < ? order by i.key ${order} limit ${BOUND}`;
  const { reversed } = access;
  const stretches = reversed ? access.intervals.toReversed() : access.intervals;
  return { name, column: 'key', reversed, stretches, textSql };
}

export interface OrderedSearch {
  readonly connection: Connection;
  readonly entry: CollectionEntry;
  readonly meter: Meter;
}

export interface PageSearch extends OrderedSearch {
  readonly keep: Keep;
}

/** The texts of one page. */
export function readPage(
  search: PageSearch,
  table: OrderedTable,
  page: { readonly skip: number; readonly limit: number },
): string[] {
  const texts: string[] = [];
  let toSkip = page.skip;
  for (const stretch of table.stretches) {
    const rest = toSkip === 0 ? { stretch, skipped: 0 } : skipRows(search, table, { stretch, skip: toSkip });
    toSkip -= rest.skipped;
    if (rest.stretch === undefined) continue;
    readTexts(search, table, { stretch: rest.stretch, limit: page.limit, into: texts });
    if (texts.length >= page.limit) break;
  }
  return texts;
}

function readTexts(
  { connection, entry, meter, keep }: PageSearch,
  table: OrderedTable,
  part: { readonly stretch: Stretch; readonly limit: number; readonly into: string[] },
): void {
  const { into, limit } = part;
  const statement = connection.statement(table.textSql);
  const left = limit - into.length;
  const values = [part.stretch.low, part.stretch.high, left] as const;
  if (Math.min(left, entry.documents) * entry.largest <= SMALL_PAGE) {
    const rows = statement.all(...values) as unknown as [string][];
    for (const row of rows) into.push(keep(row[0]));
    return;
  }
  for (const [text] of statement.iterate(...values) as unknown as Iterable<[string]>) {
    meter.tick(text.length);
    into.push(keep(text));
  }
}

interface Skipped {
  /** What is left, undefined when the stretch has no more rows. */
  readonly stretch: Stretch | undefined;
  readonly skipped: number;
}

function skipRows(
  search: OrderedSearch,
  table: OrderedTable,
  from: { readonly stretch: Stretch; readonly skip: number },
): Skipped {
  const { connection, meter } = search;
  const { name, column } = table;
  const order = table.reversed ? 'desc' : 'asc';
  const statement = connection.statement(
    `select ${column} from ${name} where ${column} >= ? and ${column} < ? order by ${column} ${order} limit 1 offset ${BOUND}`,
  );
  let { stretch } = from;
  let skipped = 0;
  while (skipped < from.skip) {
    meter.tick(0);
    const step = Math.min(SLICE, from.skip - skipped);
    const row = statement.get(stretch.low, stretch.high, step) as unknown as
      | [string | Uint8Array]
      | undefined;
    if (row === undefined) {
      return { stretch: undefined, skipped: skipped + countStretch(search, table, stretch) };
    }
    stretch = startingAt(stretch, row[0], table.reversed);
    skipped += step;
  }
  return { stretch, skipped };
}

/** What is left of a stretch that is read from `key` on, `key` included. */
function startingAt(stretch: Stretch, key: string | Uint8Array, reversed: boolean): Stretch {
  if (!reversed) return { ...stretch, low: typeof key === 'string' ? key : Buffer.from(key) };
  const high = typeof key === 'string' ? `${key}\0` : Buffer.concat([key, Buffer.alloc(1)]);
  return { ...stretch, high };
}

/** How many rows the table's stretches hold. */
export function countRows(search: OrderedSearch, table: OrderedTable): number {
  return table.stretches.reduce((sum, stretch) => sum + countStretch(search, table, stretch), 0);
}

function countStretch({ connection, meter }: OrderedSearch, table: OrderedTable, whole: Stretch): number {
  const { name, column } = table;
  const statement = connection.statement(
    `select count(*), max(k) from (select ${column} k from ${name} ` +
      `where ${column} >= ? and ${column} < ? order by ${column} limit ${SLICE})`,
  );
  let count = 0;
  let { low } = whole;
  for (;;) {
    meter.tick(0);
    const row = statement.get(low, whole.high) as unknown as [number, string | Uint8Array | null];
    count += row[0];
    if (row[0] < SLICE || row[1] === null) return count;
    low = typeof row[1] === 'string' ? `${row[1]}\0` : Buffer.concat([row[1], Buffer.alloc(1)]);
  }
}

/** How many rows the access reads, counted up to `most`. */
export function estimateRows(connection: Connection, access: IndexAccess, most: number): number {
  const name = indexTable(access.index.n, access.folded);
  const statement = connection.statement(
    `select count(*) from (select 1 from ${name} where key >= ? and key < ? limit ${BOUND})`,
  );
  let count = 0;
  for (const { low, high } of access.intervals) {
    if (count >= most) break;
    count += Number((statement.get(low, high, most - count) as unknown as [number])[0]);
  }
  return count;
}
