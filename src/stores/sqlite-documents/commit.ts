// Applies one commit on one connection: documents, index entries and counters in one transaction.
import { StoreError } from '../../errors.ts';
import { versionOf } from '../../lib/document-version.ts';
import type { StoredDocument, Write } from '../ports.ts';
import type { Catalogue, CollectionEntry, IndexEntry } from './catalogue.ts';
import { type Connection, inTransaction } from './connection.ts';
import { createRowMaker, type IndexRows, type RowMaker } from './index-rows.ts';
import { successor } from './keys.ts';
import type { Meter } from './meter.ts';
import { documentTable, indexTable } from './schema.ts';
import { parseDocument } from './stored.ts';

/** What writing and building share: a connection, its catalogue, and the row makers of its indexes. */
export interface Writer {
  readonly connection: Connection;
  readonly catalogue: Catalogue;
  rowMaker(index: IndexEntry): RowMaker;
}

/** Documents above this many UTF-16 units are refused, whatever the domain thought of them. */
const MAX_TEXT = 64 * 1024 * 1024;

const NO_ROWS: IndexRows = { exact: [], folded: [], idBytes: 0, arrays: 0 };

/** Joins a connection and its catalogue for writing. */
export function createWriter(connection: Connection, catalogue: Catalogue): Writer {
  const makers = new WeakMap<object, RowMaker>();
  return {
    connection,
    catalogue,
    rowMaker(index) {
      const known = makers.get(index.definition);
      if (known !== undefined) return known;
      const maker = createRowMaker(index.definition);
      makers.set(index.definition, maker);
      return maker;
    },
  };
}

/**
 * Applies `writes` in order, all or nothing. Throws a StoreError that names the write which failed,
 * or what `meter` throws.
 */
export function applyWrites(writer: Writer, writes: Iterable<Write>, meter: Meter): void {
  const { connection, catalogue } = writer;
  try {
    inTransaction(connection, 'immediate', () => {
      catalogue.refresh();
      const touched = new Set<CollectionEntry>();
      let at = 0;
      for (const write of writes) {
        meter.tick(0);
        touched.add(applyAt(writer, write, { at, meter }));
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

function applyAt(writer: Writer, write: Write, step: { readonly at: number; readonly meter: Meter }) {
  try {
    if (write.kind === 'insert') return insert(writer, write, step.meter);
    if (write.kind === 'update') return update(writer, write, step.meter);
    return remove(writer, write, step.meter);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new StoreError(error.reason, { index: step.at, fields: error.fields, cause: error.cause });
  }
}

function checkedText(document: StoredDocument, text: string | undefined): string {
  const result = text ?? JSON.stringify(document);
  if (result.length > MAX_TEXT) throw new StoreError('too-large');
  return result;
}

function insert(writer: Writer, write: Extract<Write, { kind: 'insert' }>, meter: Meter): CollectionEntry {
  const entry = writer.catalogue.ensure(write.ns);
  const text = checkedText(write.document, write.text);
  const sql = `insert into ${documentTable(entry.n)} (id, json) values (?, ?) on conflict (id) do nothing`;
  const done = writer.connection.statement(sql).run(write.document._id, text);
  if (Number(done.changes) === 0) throw new StoreError('duplicate', { fields: ['_id'] });
  const doc = Number(done.lastInsertRowid);
  for (const index of entry.indexes) {
    keepRows(writer, index, { doc, before: undefined, after: write.document, meter });
  }
  entry.documents += 1;
  return resize(entry, 0, text.length);
}

interface Stored {
  readonly entry: CollectionEntry;
  readonly doc: number;
  readonly text: string;
  readonly document: StoredDocument;
}

/** The stored document that `write` was computed from. Throws `conflict` when it is another or gone. */
function expectStored(writer: Writer, write: Extract<Write, { kind: 'update' | 'remove' }>): Stored {
  const entry = writer.catalogue.get(write.ns);
  if (entry === undefined) throw new StoreError('conflict');
  const sql = `select doc, json from ${documentTable(entry.n)} where id = ?`;
  const row = writer.connection.statement(sql).get(write.id) as unknown as [number, string] | undefined;
  if (row === undefined) throw new StoreError('conflict');
  const document = parseDocument(row[1]);
  if (versionOf(document) !== write.v) throw new StoreError('conflict');
  return { entry, doc: row[0], text: row[1], document };
}

function update(writer: Writer, write: Extract<Write, { kind: 'update' }>, meter: Meter): CollectionEntry {
  const { entry, doc, text: oldText, document: before } = expectStored(writer, write);
  const text = checkedText(write.document, write.text);
  const sql = `update ${documentTable(entry.n)} set json = ? where doc = ?`;
  writer.connection.statement(sql).run(text, doc);
  const changed = new Set(write.changed);
  for (const index of entry.indexes) {
    const concerned = index.definition.keys.some((key) => changed.has(key.path.split('.', 1)[0] ?? ''));
    if (concerned) keepRows(writer, index, { doc, before, after: write.document, meter });
  }
  return resize(entry, oldText.length, text.length);
}

function remove(writer: Writer, write: Extract<Write, { kind: 'remove' }>, meter: Meter): CollectionEntry {
  const { entry, doc, text, document: before } = expectStored(writer, write);
  writer.connection.statement(`delete from ${documentTable(entry.n)} where doc = ?`).run(doc);
  for (const index of entry.indexes) keepRows(writer, index, { doc, before, after: undefined, meter });
  entry.documents -= 1;
  return resize(entry, text.length, 0);
}

function resize(entry: CollectionEntry, before: number, after: number): CollectionEntry {
  entry.bytes += after - before;
  entry.largest = Math.max(entry.largest, after);
  return entry;
}

export interface RowChange {
  readonly doc: number;
  readonly before: StoredDocument | undefined;
  readonly after: StoredDocument | undefined;
  readonly meter: Meter;
}

/** Changes the rows, and tells a builder at work that it need not think of this document any more. */
function keepRows(writer: Writer, index: IndexEntry, change: RowChange): void {
  changeRows(writer, index, change);
  if (index.ready) return;
  writer.connection
    .statement('insert or ignore into touched (idx, doc) values (?, ?)')
    .run(index.n, change.doc);
}

/** Replaces the rows of one document in one index. Throws `duplicate` for a unique one, `parallel-arrays`. */
export function changeRows(writer: Writer, index: IndexEntry, change: RowChange): void {
  const rows = writer.rowMaker(index);
  const { doc, before, after, meter } = change;
  const old = before === undefined ? NO_ROWS : rows(before, meter);
  const fresh = after === undefined ? NO_ROWS : rows(after, meter);
  const exact = difference(index, old.exact, fresh.exact);
  const folded = difference(index, old.folded, fresh.folded);
  deleteRows(writer, indexTable(index.n, false), exact.gone);
  deleteRows(writer, indexTable(index.n, true), folded.gone);
  if (index.definition.unique) checkUnique(writer, index, { doc, keys: exact.added, idBytes: fresh.idBytes });
  insertRows(writer, indexTable(index.n, false), { doc, keys: exact.added, meter });
  insertRows(writer, indexTable(index.n, true), { doc, keys: folded.added, meter });
  if ((index.multikey | fresh.arrays) === index.multikey) return;
  index.multikey |= fresh.arrays;
  writer.catalogue.saveIndex(index);
}

function difference(index: IndexEntry, old: readonly Buffer[], fresh: readonly Buffer[]) {
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

function deleteRows(writer: Writer, table: string, keys: readonly Buffer[]): void {
  if (keys.length === 0) return;
  const statement = writer.connection.statement(`delete from ${table} where key = ?`);
  for (const key of keys) statement.run(key);
}

interface NewRows {
  readonly doc: number;
  readonly keys: readonly Buffer[];
}

function insertRows(writer: Writer, table: string, rows: NewRows & { readonly meter: Meter }): void {
  if (rows.keys.length === 0) return;
  const statement = writer.connection.statement(`insert or replace into ${table} (key, doc) values (?, ?)`);
  for (const key of rows.keys) {
    rows.meter.tick(0);
    statement.run(key, rows.doc);
  }
}

function checkUnique(writer: Writer, index: IndexEntry, rows: NewRows & { readonly idBytes: number }): void {
  const sql = `select 1 from ${indexTable(index.n, false)} where key >= ? and key < ? and doc <> ? limit 1`;
  const statement = writer.connection.statement(sql);
  for (const key of rows.keys) {
    const prefix = key.subarray(0, key.length - rows.idBytes);
    if (statement.get(prefix, successor(prefix), rows.doc) === undefined) continue;
    throw new StoreError('duplicate', { fields: index.definition.keys.map((part) => part.path) });
  }
}
