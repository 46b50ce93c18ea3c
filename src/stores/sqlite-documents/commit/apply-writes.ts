// Applies one commit on one connection: documents, index entries and counters in one transaction.
import { StoreError } from '../../../errors.ts';
import { documentVersion } from '../../../lib/document-version.ts';
import type { StoredDocument, Write } from '../../ports.ts';
import type { Catalogue, CollectionEntry, IndexEntry } from '../data-file/catalogue.ts';
import { type Connection, inTransaction } from '../data-file/connection.ts';
import { parseDocument } from '../data-file/document-text.ts';
import { documentTable, indexTable } from '../data-file/schema.ts';
import type { WorkLimit } from '../data-file/work-limit.ts';
import { createRowEncoder, type EncodedRows, type RowEncoder } from '../indexes/index-rows.ts';
import { prefixSuccessor } from '../indexes/key-encoding.ts';

/** What writing and building share: a connection, its catalogue, and the row makers of its indexes. */
export interface WriteContext {
  readonly connection: Connection;
  readonly catalogue: Catalogue;
  rowEncoder(index: IndexEntry): RowEncoder;
}

/** Documents above this many UTF-16 units are refused, whatever the domain thought of them. */
const MAX_DOCUMENT_TEXT = 64 * 1024 * 1024;

const NO_ROWS: EncodedRows = { exact: [], caseFolded: [], idBytes: 0, arrays: 0 };

/** Joins a connection and its catalogue for writing. */
export function createWriteContext(connection: Connection, catalogue: Catalogue): WriteContext {
  const makers = new WeakMap<object, RowEncoder>();
  return {
    connection,
    catalogue,
    rowEncoder(index) {
      const known = makers.get(index.definition);
      if (known !== undefined) return known;
      const maker = createRowEncoder(index.definition);
      makers.set(index.definition, maker);
      return maker;
    },
  };
}

/**
 * Applies `writes` in order, all or nothing. Throws a StoreError that names the write which failed,
 * or what `meter` throws.
 */
export function applyWrites(writer: WriteContext, writes: Iterable<Write>, meter: WorkLimit): void {
  const { connection, catalogue } = writer;
  try {
    inTransaction(connection, 'immediate', () => {
      catalogue.refresh();
      const touched = new Set<CollectionEntry>();
      let at = 0;
      for (const write of writes) {
        meter.tick(0);
        touched.add(applyWrite(writer, write, { at, meter }));
        at += 1;
      }
      for (const entry of touched) {
        entry.writes += 1;
        catalogue.save(entry);
      }
    });
  } catch (error) {
    catalogue.invalidate();
    throw error;
  }
}

function applyWrite(
  writer: WriteContext,
  write: Write,
  step: { readonly at: number; readonly meter: WorkLimit },
) {
  try {
    if (write.kind === 'insert') return insert(writer, write, step.meter);
    if (write.kind === 'update') return update(writer, write, step.meter);
    return remove(writer, write, step.meter);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new StoreError(error.reason, { index: step.at, fields: error.fields, cause: error.cause });
  }
}

function serializeDocument(document: StoredDocument, text: string | undefined): string {
  const result = text ?? JSON.stringify(document);
  if (result.length > MAX_DOCUMENT_TEXT) throw new StoreError('too-large');
  return result;
}

function insert(
  writer: WriteContext,
  write: Extract<Write, { kind: 'insert' }>,
  meter: WorkLimit,
): CollectionEntry {
  const entry = writer.catalogue.ensure(write.ns);
  const text = serializeDocument(write.document, write.text);
  const sql = `insert into ${documentTable(entry.n)} (id, json) values (?, ?) on conflict (id) do nothing`;
  const done = writer.connection.statement(sql).run(write.document._id, text);
  if (Number(done.changes) === 0) throw new StoreError('duplicate', { fields: ['_id'] });
  const doc = Number(done.lastInsertRowid);
  for (const index of entry.indexes) {
    updateIndex(writer, index, { doc, before: undefined, after: write.document, meter });
  }
  entry.documents += 1;
  return updateSize(entry, 0, text.length);
}

interface StoredRow {
  readonly entry: CollectionEntry;
  readonly doc: number;
  readonly text: string;
  readonly document: StoredDocument;
}

/** The stored document that `write` was computed from. Throws `conflict` when it is another or gone. */
function loadExpected(writer: WriteContext, write: Extract<Write, { kind: 'update' | 'remove' }>): StoredRow {
  const entry = writer.catalogue.get(write.ns);
  if (entry === undefined) throw new StoreError('conflict');
  const sql = `select doc, json from ${documentTable(entry.n)} where id = ?`;
  const row = writer.connection.statement(sql).get(write.id) as unknown as [number, string] | undefined;
  if (row === undefined) throw new StoreError('conflict');
  const document = parseDocument(row[1]);
  if (documentVersion(document) !== write.v) throw new StoreError('conflict');
  return { entry, doc: row[0], text: row[1], document };
}

function update(
  writer: WriteContext,
  write: Extract<Write, { kind: 'update' }>,
  meter: WorkLimit,
): CollectionEntry {
  const { entry, doc, text: oldText, document: before } = loadExpected(writer, write);
  const text = serializeDocument(write.document, write.text);
  const sql = `update ${documentTable(entry.n)} set json = ? where doc = ?`;
  writer.connection.statement(sql).run(text, doc);
  const changed = new Set(write.changed);
  for (const index of entry.indexes) {
    const concerned = index.definition.keys.some((key) => changed.has(key.path.split('.', 1)[0] ?? ''));
    if (concerned) updateIndex(writer, index, { doc, before, after: write.document, meter });
  }
  return updateSize(entry, oldText.length, text.length);
}

function remove(
  writer: WriteContext,
  write: Extract<Write, { kind: 'remove' }>,
  meter: WorkLimit,
): CollectionEntry {
  const { entry, doc, text, document: before } = loadExpected(writer, write);
  writer.connection.statement(`delete from ${documentTable(entry.n)} where doc = ?`).run(doc);
  for (const index of entry.indexes) updateIndex(writer, index, { doc, before, after: undefined, meter });
  entry.documents -= 1;
  return updateSize(entry, text.length, 0);
}

function updateSize(entry: CollectionEntry, before: number, after: number): CollectionEntry {
  entry.bytes += after - before;
  entry.largest = Math.max(entry.largest, after);
  return entry;
}

export interface IndexRowChange {
  readonly doc: number;
  readonly before: StoredDocument | undefined;
  readonly after: StoredDocument | undefined;
  readonly meter: WorkLimit;
}

/** Changes the rows, and tells a builder at work that it need not think of this document any more. */
function updateIndex(writer: WriteContext, index: IndexEntry, change: IndexRowChange): void {
  updateIndexRows(writer, index, change);
  if (index.ready) return;
  writer.connection
    .statement('insert or ignore into touched (idx, doc) values (?, ?)')
    .run(index.n, change.doc);
}

/** Replaces the rows of one document in one index. Throws `duplicate` for a unique one, `parallel-arrays`. */
export function updateIndexRows(writer: WriteContext, index: IndexEntry, change: IndexRowChange): void {
  const rows = writer.rowEncoder(index);
  const { doc, before, after, meter } = change;
  const old = before === undefined ? NO_ROWS : rows(before, meter);
  const fresh = after === undefined ? NO_ROWS : rows(after, meter);
  const exact = diffKeys(index, old.exact, fresh.exact);
  const folded = diffKeys(index, old.caseFolded, fresh.caseFolded);
  deleteRows(writer, indexTable(index.n, false), exact.gone);
  deleteRows(writer, indexTable(index.n, true), folded.gone);
  if (index.definition.unique) checkUnique(writer, index, { doc, keys: exact.added, idBytes: fresh.idBytes });
  insertRows(writer, indexTable(index.n, false), { doc, keys: exact.added, meter });
  insertRows(writer, indexTable(index.n, true), { doc, keys: folded.added, meter });
  if ((index.multikey | fresh.arrays) === index.multikey) return;
  index.multikey |= fresh.arrays;
  writer.catalogue.saveIndex(index);
}

function diffKeys(index: IndexEntry, old: readonly Buffer[], fresh: readonly Buffer[]) {
  // What an unfinished index holds of the document is not known.
  if (!index.ready || old.length === 0 || fresh.length === 0) return { gone: old, added: fresh };
  const text = (key: Buffer) => key.toString('latin1');
  const oldKeys = new Set(old.map(text));
  const freshKeys = new Set(fresh.map(text));
  return {
    gone: old.filter((key) => !freshKeys.has(text(key))),
    added: fresh.filter((key) => !oldKeys.has(text(key))),
  };
}

function deleteRows(writer: WriteContext, table: string, keys: readonly Buffer[]): void {
  if (keys.length === 0) return;
  const statement = writer.connection.statement(`delete from ${table} where key = ?`);
  for (const key of keys) statement.run(key);
}

interface AddedRows {
  readonly doc: number;
  readonly keys: readonly Buffer[];
}

function insertRows(
  writer: WriteContext,
  table: string,
  rows: AddedRows & { readonly meter: WorkLimit },
): void {
  if (rows.keys.length === 0) return;
  const statement = writer.connection.statement(`insert or replace into ${table} (key, doc) values (?, ?)`);
  for (const key of rows.keys) {
    rows.meter.tick(0);
    statement.run(key, rows.doc);
  }
}

function checkUnique(
  writer: WriteContext,
  index: IndexEntry,
  rows: AddedRows & { readonly idBytes: number },
): void {
  const sql = `select 1 from ${indexTable(index.n, false)} where key >= ? and key < ? and doc <> ? limit 1`;
  const statement = writer.connection.statement(sql);
  for (const key of rows.keys) {
    const prefix = key.subarray(0, key.length - rows.idBytes);
    if (statement.get(prefix, prefixSuccessor(prefix), rows.doc) === undefined) continue;
    throw new StoreError('duplicate', { fields: index.definition.keys.map((part) => part.path) });
  }
}
