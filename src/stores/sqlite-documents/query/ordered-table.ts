// Reads, skips and counts rows of one ordered table: the documents in `_id` order, or the rows of one index. A short page is
// read as one text, which SQLite joins. Skipped and counted rows are not fetched.
import { RECORD_SEPARATOR, type Separator } from '../../../lib/chunked-text.ts';
import type { TextPage } from '../../ports.ts';
import { type CollectionEntry, documentTable, indexTable } from '../data-file/catalogue.ts';
import { type Connection, documentText, type WorkLimit } from '../data-file/connection.ts';
import type { Access, IndexAccess } from './index-access.ts';

type Key = string | Buffer;

interface TableRange {
  /** First key of the range. */
  readonly low: Key;
  /** First key after the range. */
  readonly high: Key;
}

export interface OrderedTable {
  readonly name: string;
  readonly column: 'key' | 'id';
  readonly reversed: boolean;
  readonly ranges: readonly TableRange[];
  /** Selects the texts of one range in order. Parameters: low, high, limit. */
  readonly textSql: string;
  /** Selects the same texts joined by a separator, which is null if there are none, and their number. */
  readonly joinedSql: Readonly<Record<Separator, string>>;
}

/** A parameter that SQLite cannot plan by: for a bare `?` it would prepare the statement again on every bind. */
const OPAQUE_PARAMETER = '(? + 0)';

/** Rows skipped or counted between two checks of the work limit. */
const ROWS_PER_SLICE = 20_000;

/** A page that cannot exceed this many UTF-16 units is read with one call, without checking the work limit per row. */
const MAX_UNCHECKED_TEXT = 1_000_000;

/** Returns the table in which `access` finds every document once and in order; undefined if there is none. */
export function orderedTableFor(entry: CollectionEntry, access: Access): OrderedTable | undefined {
  if (access.kind === 'id-scan') return idTable(entry, access);
  return access.kind === 'index' && !access.mayRepeat ? keyTable(entry, access) : undefined;
}

function idTable(entry: CollectionEntry, access: Extract<Access, { kind: 'id-scan' }>): OrderedTable {
  const { reversed, low, high } = access;
  const name = documentTable(entry.n);
  const order = reversed ? 'desc' : 'asc';
  const textSql = `select json from ${name} where id >= ? and id < ? order by id ${order} limit ${OPAQUE_PARAMETER}`;
  return { name, column: 'id', reversed, ranges: [{ low, high }], ...sqlOf(textSql) };
}

/** The limit inside makes SQLite keep the order of the rows. */
const sqlOf = (textSql: string) => ({
  textSql,
  joinedSql: {
    ',': `select group_concat(json), count(*) from (${textSql})`,
    [RECORD_SEPARATOR]: `select group_concat(json, char(${RECORD_SEPARATOR.charCodeAt(0)})), count(*) from (${textSql})`,
  },
});

function keyTable(entry: CollectionEntry, access: IndexAccess): OrderedTable {
  const name = indexTable(access.index.n);
  const order = access.reversed ? 'desc' : 'asc';
  const textSql =
    `select d.json from ${name} i cross join ${documentTable(entry.n)} d on d.doc = i.doc ` +
    `where i.key >= ? and i.key < ? order by i.key ${order} limit ${OPAQUE_PARAMETER}`;
  const { reversed } = access;
  const ranges = reversed ? access.ranges.toReversed() : access.ranges;
  return { name, column: 'key', reversed, ranges, ...sqlOf(textSql) };
}

export interface TableSearch {
  readonly connection: Connection;
  readonly entry: CollectionEntry;
  readonly workLimit: WorkLimit;
}

export interface TablePageSearch extends TableSearch {
  /** Turns the text of a document into the text of the result. */
  readonly project: (text: string) => string;
}

interface PageBounds {
  readonly skip: number;
  readonly limit: number;
}

/** Reads the texts of one page. */
export function readPage(search: TablePageSearch, table: OrderedTable, page: PageBounds): string[] {
  const texts: string[] = [];
  for (const range of rangesAfterSkip(search, table, page.skip)) {
    readTexts(search, table, { range, limit: page.limit, into: texts });
    if (texts.length >= page.limit) break;
  }
  return texts;
}

/** Whether so many documents are certain to be short enough to be read with one call, without a check of the work limit. */
export const isShort = ({ documents, largest }: CollectionEntry, limit: number): boolean =>
  Math.min(limit, documents) * largest <= MAX_UNCHECKED_TEXT;

/** Reads a page that `isShort` as one text. Only its beginning and its end are checked for damage. */
export function readJoinedPage(
  search: TableSearch,
  table: OrderedTable,
  page: PageBounds,
  separator: Separator,
): TextPage {
  const statement = search.connection.statement(table.joinedSql[separator]);
  let text = '';
  let count = 0;
  for (const { low, high } of rangesAfterSkip(search, table, page.skip)) {
    const row = statement.get(low, high, page.limit - count) as unknown as [unknown, number];
    if (row[1] === 0) continue;
    const joined = documentText(row[0]);
    text = count === 0 ? joined : `${text}${separator}${joined}`;
    count += row[1];
    if (count >= page.limit) break;
  }
  return { text, count };
}

/** The ranges without the first `skip` rows. */
function* rangesAfterSkip(search: TableSearch, table: OrderedTable, skip: number): Iterable<TableRange> {
  let toSkip = skip;
  for (const range of table.ranges) {
    if (toSkip === 0) {
      yield range;
      continue;
    }
    const rest = skipRows(search, table, { range, skip: toSkip });
    toSkip -= rest.skipped;
    if (rest.range !== undefined) yield rest.range;
  }
}

function readTexts(
  { connection, entry, workLimit, project }: TablePageSearch,
  table: OrderedTable,
  part: { readonly range: TableRange; readonly limit: number; readonly into: string[] },
): void {
  const { into, limit } = part;
  const statement = connection.statement(table.textSql);
  const remaining = limit - into.length;
  const values = [part.range.low, part.range.high, remaining] as const;
  if (isShort(entry, remaining)) {
    // One long text and its parts are made faster than many short ones.
    const sql = table.joinedSql[RECORD_SEPARATOR];
    const [texts] = connection.statement(sql).get(...values) as unknown as [string | null];
    if (texts !== null)
      for (const text of documentText(texts).split(RECORD_SEPARATOR)) into.push(project(text));
    return;
  }
  for (const [text] of statement.iterate(...values) as unknown as Iterable<[string]>) {
    workLimit.tick(text.length);
    into.push(project(text));
  }
}

interface SkipResult {
  /** The rows after the skipped ones; undefined when there are none in this range. */
  readonly range: TableRange | undefined;
  readonly skipped: number;
}

function skipRows(
  search: TableSearch,
  table: OrderedTable,
  from: { readonly range: TableRange; readonly skip: number },
): SkipResult {
  const { connection, workLimit } = search;
  const { name, column } = table;
  const order = table.reversed ? 'desc' : 'asc';
  const statement = connection.statement(
    `select ${column} from ${name} where ${column} >= ? and ${column} < ? order by ${column} ${order} limit 1 offset ${OPAQUE_PARAMETER}`,
  );
  let { range } = from;
  let skipped = 0;
  while (skipped < from.skip) {
    workLimit.tick(0);
    const step = Math.min(ROWS_PER_SLICE, from.skip - skipped);
    const row = statement.get(range.low, range.high, step) as unknown as [string | Uint8Array] | undefined;
    if (row === undefined) {
      return { range: undefined, skipped: skipped + countRange(search, table, range) };
    }
    range = rangeFrom(range, row[0], table.reversed);
    skipped += step;
  }
  return { range, skipped };
}

/** The part of a range from `key` on, `key` included. */
function rangeFrom(range: TableRange, key: string | Uint8Array, reversed: boolean): TableRange {
  if (!reversed) return { ...range, low: typeof key === 'string' ? key : Buffer.from(key) };
  const high = typeof key === 'string' ? `${key}\0` : Buffer.concat([key, Buffer.alloc(1)]);
  return { ...range, high };
}

/** Counts the rows of all ranges. */
export function countRows(search: TableSearch, table: OrderedTable): number {
  return table.ranges.reduce((sum, range) => sum + countRange(search, table, range), 0);
}

function countRange({ connection, workLimit }: TableSearch, table: OrderedTable, range: TableRange): number {
  const { name, column } = table;
  const statement = connection.statement(
    `select count(*), max(k) from (select ${column} k from ${name} ` +
      `where ${column} >= ? and ${column} < ? order by ${column} limit ${ROWS_PER_SLICE})`,
  );
  let count = 0;
  let { low } = range;
  for (;;) {
    workLimit.tick(0);
    const row = statement.get(low, range.high) as unknown as [number, string | Uint8Array | null];
    count += row[0];
    if (row[0] < ROWS_PER_SLICE || row[1] === null) return count;
    low = typeof row[1] === 'string' ? `${row[1]}\0` : Buffer.concat([row[1], Buffer.alloc(1)]);
  }
}

/** Counts the rows that the access reads, up to `max`. */
export function estimateRows(connection: Connection, access: IndexAccess, max: number): number {
  const name = indexTable(access.index.n);
  const statement = connection.statement(
    `select count(*) from (select 1 from ${name} where key >= ? and key < ? limit ${OPAQUE_PARAMETER})`,
  );
  let count = 0;
  for (const { low, high } of access.ranges) {
    if (count >= max) break;
    count += Number((statement.get(low, high, max - count) as unknown as [number])[0]);
  }
  return count;
}
