// Fetches the documents that a plan's access finds, one at a time, before the rest of the filter is applied.
import type { CollectionEntry } from '../data-file/catalogue.ts';
import type { Connection } from '../data-file/connection.ts';
import { documentTable, documentText, indexTable } from '../data-file/schema.ts';
import { StorageError } from '../data-file/storage-errors.ts';
import type { WorkLimit } from '../data-file/work-limit.ts';
import type { Access, IndexAccess } from './index-plan.ts';
import { isShort } from './ordered-table.ts';
import type { Prefilter } from './prefilter.ts';

export type Candidate = readonly [doc: number, json: string];

export interface CandidateSearch {
  readonly connection: Connection;
  readonly entry: CollectionEntry;
  readonly workLimit: WorkLimit;
  /** SQL condition that every match passes; used by accesses that read every document. */
  readonly prefilter: Prefilter;
}

/** Documents, and approximate text, read between two checks of the work limit. */
const DOCUMENTS_PER_SLICE = 500;
const TEXT_PER_SLICE = 300_000;

interface Slice {
  readonly documents: number;
  /** Their approximate text. */
  readonly text: number;
}

function sliceOf({ bytes, documents }: CollectionEntry): Slice {
  const average = bytes / Math.max(1, documents);
  const count = Math.max(1, Math.min(DOCUMENTS_PER_SLICE, Math.floor(TEXT_PER_SLICE / average)));
  return { documents: count, text: Math.min(count, documents) * average };
}

/** Iterates over the candidates of `access`. No document occurs twice. */
export function findCandidates(search: CandidateSearch, access: Access): Iterable<Candidate> {
  switch (access.kind) {
    case 'ids':
      return byIds(search, access.ids);
    case 'id-scan':
      return scanIds(search, access);
    case 'scan':
      return scan(search);
    case 'index':
      return byIndexes(search, [access], access.mayRepeat);
    case 'union':
      return byIndexes(search, access.branches, true);
  }
}

function* byIds(
  { connection, entry, workLimit }: CandidateSearch,
  ids: readonly string[],
): Iterable<Candidate> {
  // `cross join` makes SQLite keep the order of the list.
  const statement = connection.statement(
    `select d.doc, d.json from json_each(?) e cross join ${documentTable(entry.n)} d on d.id = e.value`,
  );
  const list = JSON.stringify(ids);
  // Read with one call and no limit check: handing it to a thread afterwards would read it twice.
  if (isShort(entry, ids.length)) {
    yield* statement.all(list) as unknown as Iterable<Candidate>;
    return;
  }
  for (const row of statement.iterate(list) as unknown as Iterable<Candidate>) {
    workLimit.tick(documentText(row[1]).length);
    yield row;
  }
}

function* scan({ connection, entry, workLimit, prefilter }: CandidateSearch): Iterable<Candidate> {
  const table = documentTable(entry.n);
  const next = connection.statement(`select doc from ${table} where doc > ? order by doc limit 1`);
  const statement = connection.statement(
    `select doc, json from ${table} where doc >= ? and doc < ?${prefilter.sql}`,
  );
  const slice = sliceOf(entry);
  let last = -1;
  for (;;) {
    workLimit.tick(slice.text);
    // `doc` numbers have gaps after removals: each slice starts at an existing document.
    const first = next.get(last) as unknown as readonly [number] | undefined;
    if (first === undefined) return;
    if (first[0] <= last) throw new StorageError('damaged', 'a table is out of order');
    const end = first[0] + slice.documents;
    const rows = statement.iterate(first[0], end, ...prefilter.values);
    last = end - 1;
    for (const row of rows as unknown as Iterable<Candidate>) {
      workLimit.tick(documentText(row[1]).length);
      yield row;
    }
  }
}

function* scanIds(
  search: CandidateSearch,
  access: Extract<Access, { kind: 'id-scan' }>,
): Iterable<Candidate> {
  const { connection, entry, workLimit, prefilter } = search;
  const table = documentTable(entry.n);
  const order = access.reversed ? 'desc' : 'asc';
  const size = sliceOf(entry);
  const boundary = connection.statement(
    `select id from ${table} where id >= ? and id < ? order by id ${order} limit 1 offset ${size.documents}`,
  );
  const slice = connection.statement(
    `select doc, json from ${table} where id >= ? and id < ?${prefilter.sql} order by id ${order}`,
  );
  let { low, high } = access;
  for (;;) {
    workLimit.tick(size.text);
    const next = boundary.get(low, high) as unknown as readonly [string] | undefined;
    // A slice ends before the boundary document, with which the next slice starts.
    const cut = next === undefined ? undefined : access.reversed ? `${next[0]}\0` : next[0];
    const from = access.reversed && cut !== undefined ? cut : low;
    const to = !access.reversed && cut !== undefined ? cut : high;
    for (const row of slice.iterate(from, to, ...prefilter.values) as unknown as Iterable<Candidate>) {
      workLimit.tick(documentText(row[1]).length);
      yield row;
    }
    if (cut === undefined) return;
    if (access.reversed) high = cut;
    else low = cut;
  }
}

function* byIndexes(
  search: CandidateSearch,
  accesses: readonly IndexAccess[],
  repeats: boolean,
): Iterable<Candidate> {
  const { connection, entry, workLimit } = search;
  const seen = repeats ? new Set<number>() : undefined;
  for (const access of accesses) {
    const statement = connection.statement(joinSql(entry, access));
    for (const { low, high } of rangesInOrder(access)) {
      for (const row of statement.iterate(low, high) as unknown as Iterable<Candidate>) {
        workLimit.tick(documentText(row[1]).length);
        if (seen?.has(row[0])) continue;
        seen?.add(row[0]);
        yield row;
      }
    }
  }
}

/** The ranges in reading order. */
function rangesInOrder(access: IndexAccess): IndexAccess['ranges'] {
  return access.reversed ? access.ranges.toReversed() : access.ranges;
}

/** Selects the documents of one range of `access` in its order. `cross join` keeps SQLite from swapping the tables. */
function joinSql(entry: CollectionEntry, access: IndexAccess): string {
  const order = access.reversed ? 'desc' : 'asc';
  return (
    `select d.doc, d.json from ${indexTable(access.index.n, access.caseInsensitive)} i ` +
    `cross join ${documentTable(entry.n)} d on d.doc = i.doc ` +
    `where i.key >= ? and i.key < ? order by i.key ${order}`
  );
}
