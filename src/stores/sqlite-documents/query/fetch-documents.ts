// Fetches documents: those that a plan's access finds, one at a time, before the rest of the filter is applied; and without a plan one by
// its id, or those that others refer to, which are cached until the next write to their collection.
import type { StatementSync } from 'node:sqlite';
import type { Filter } from '../../filter.ts';
import type { Namespace } from '../../ports.ts';
import {
  type CollectionEntry,
  type DataFile,
  documentTable,
  indexTable,
  onSnapshot,
} from '../data-file/catalogue.ts';
import { type Connection, documentText, tableStatements, type WorkLimit } from '../data-file/connection.ts';
import { StorageError } from '../data-file/storage-errors.ts';
import type { Access, IndexAccess } from './index-access.ts';
import { isShort } from './ordered-table.ts';
import { createPrefilter } from './prefilter.ts';

export type Candidate = readonly [doc: number, json: string];

export interface CandidateSearch {
  readonly connection: Connection;
  readonly entry: CollectionEntry;
  readonly workLimit: WorkLimit;
  /** Accesses that read every document leave out some that it does not match. */
  readonly filter: Filter;
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
      return scan(search, access);
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

function* scan(
  { connection, entry, workLimit, filter }: CandidateSearch,
  access: Access,
): Iterable<Candidate> {
  const prefilter = createPrefilter(filter, access);
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
  const { connection, entry, workLimit, filter } = search;
  const prefilter = createPrefilter(filter, access);
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
    `select d.doc, d.json from ${indexTable(access.index.n)} i ` +
    `cross join ${documentTable(entry.n)} d on d.doc = i.doc ` +
    `where i.key >= ? and i.key < ? order by i.key ${order}`
  );
}

/** The cached texts of one state of a collection. */
interface CachedCollection {
  readonly writes: number;
  readonly texts: Map<string, string>;
  bytes: number;
}

export interface DocumentCache {
  /** The cached texts of the collection as it is now, by id. */
  textsOf(entry: CollectionEntry): ReadonlyMap<string, string>;
  /** `id` must not be a part of a longer text, which it would keep in memory. */
  add(entry: CollectionEntry, id: string, text: string): void;
}

/** Longer documents are not cached. */
const MAX_TEXT_LENGTH = 32_768;
/** Approximate memory of an entry without its text. */
const ENTRY_BYTES = 120;
const BYTES_PER_UNIT = 2;

/** Creates an empty cache. When all collections together need more than `maxBytes`, it is emptied. */
export function createDocumentCache(maxBytes: number): DocumentCache {
  const collections = new Map<number, CachedCollection>();
  let bytes = 0;

  const collectionOf = ({ n, writes }: CollectionEntry): CachedCollection => {
    const known = collections.get(n);
    if (known?.writes === writes) return known;
    bytes -= known?.bytes ?? 0;
    const empty: CachedCollection = { writes, texts: new Map(), bytes: 0 };
    collections.set(n, empty);
    return empty;
  };

  return {
    textsOf: (entry) => collectionOf(entry).texts,
    add(entry, id, text) {
      if (text.length > MAX_TEXT_LENGTH || collectionOf(entry).texts.has(id)) return;
      const size = text.length * BYTES_PER_UNIT + ENTRY_BYTES;
      if (bytes + size > maxBytes) {
        collections.clear();
        bytes = 0;
      }
      const cached = collectionOf(entry);
      cached.texts.set(id, text);
      cached.bytes += size;
      bytes += size;
    },
  };
}

/** An open data file, and its statements for single documents. */
export interface TextReader extends DataFile {
  /** Returns the statement that selects the text of a document by its id. */
  statementById(entry: CollectionEntry): StatementSync;
}

/** Creates the reader of one connection. */
export function createTextReader({ connection, catalogue }: DataFile): TextReader {
  const byId = tableStatements(connection, (n) => `select json from ${documentTable(n)} where id = ?`);
  return { connection, catalogue, statementById: ({ n }) => byId(n) };
}

/** The text of one document by its id; undefined if there is none. */
export function textById(reader: TextReader, ns: Namespace, id: string): string | undefined {
  return onSnapshot(reader, ns, (entry) => {
    const row = entry && (reader.statementById(entry).get(id) as unknown as [unknown] | undefined);
    return row === undefined ? undefined : documentText(row[0]);
  });
}

const NO_DOCUMENTS: ReadonlyMap<string, string> = new Map();

/** The texts of documents by their ids, perhaps among others. Ids without a document are missing. */
export function textsByIds(
  file: DataFile,
  ns: Namespace,
  ids: readonly string[],
  { workLimit, cache }: { readonly workLimit: WorkLimit; readonly cache: DocumentCache },
): ReadonlyMap<string, string> {
  return onSnapshot(file, ns, (entry) => {
    if (entry === undefined) return NO_DOCUMENTS;
    const cached = cache.textsOf(entry);
    if (ids.every((id) => cached.has(id))) return cached;
    const found = new Map<string, string>();
    const missing = new Set<string>();
    for (const id of ids) {
      const text = cached.get(id);
      if (text === undefined) missing.add(id);
      else found.set(id, text);
    }
    const statement = file.connection.statement(
      `select id, json from ${documentTable(entry.n)} where id = ?`,
    );
    const isUnchecked = isShort(entry, missing.size);
    for (const wanted of missing) {
      const row = statement.get(wanted) as unknown as [string, unknown] | undefined;
      if (row === undefined) continue;
      const [id, text] = [row[0], documentText(row[1])];
      if (!isUnchecked) workLimit.tick(text.length);
      found.set(id, text);
      // The id of the row, as `wanted` may be a part of the text of a whole document.
      cache.add(entry, id, text);
    }
    return found;
  });
}
