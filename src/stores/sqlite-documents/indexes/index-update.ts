// Keeps the rows of an index in step with its documents: the rows of one document are replaced in one call.
import type { StatementSync } from 'node:sqlite';
import { StoreError } from '../../../errors/errors.ts';
import type { IndexDefinition, StoredDocument } from '../../ports.ts';
import { type DataFile, documentTable, type IndexEntry, indexTable } from '../data-file/catalogue.ts';
import { tableStatements, type WorkLimit } from '../data-file/connection.ts';
import {
  createDocumentCheck,
  createRowEncoder,
  type DocumentCheck,
  type EncodedRows,
  prefixSuccessor,
  type RowEncoder,
} from './index-keys.ts';

/** What commits and index builds need. */
export interface WriteContext extends DataFile {
  /** The row encoder of an index, created once per definition. */
  readonly rowEncoder: (index: IndexEntry) => RowEncoder;
  /** Throws `parallel-arrays` for a document that no index on MongoDB can hold. Those that are there keep their rows. */
  readonly newDocumentCheck: (index: IndexEntry) => DocumentCheck;
  /** Statements by the number of their table. */
  readonly insertDocument: (n: number) => StatementSync;
  readonly insertRow: (n: number) => StatementSync;
  readonly deleteRow: (n: number) => StatementSync;
  readonly findOtherRow: (n: number) => StatementSync;
}

const NO_ROWS: EncodedRows = { keys: [], idBytes: 0, arrays: 0 };

function oncePerDefinition<T>(create: (definition: IndexDefinition) => T): (index: IndexEntry) => T {
  const made = new WeakMap<object, T>();
  return ({ definition }) => {
    const known = made.get(definition);
    if (known !== undefined) return known;
    const value = create(definition);
    made.set(definition, value);
    return value;
  };
}

/** Creates the context of one connection. */
export function createWriteContext({ connection, catalogue }: DataFile): WriteContext {
  return {
    connection,
    catalogue,
    rowEncoder: oncePerDefinition(createRowEncoder),
    newDocumentCheck: oncePerDefinition(createDocumentCheck),
    insertDocument: tableStatements(
      connection,
      (n) => `insert into ${documentTable(n)} (id, json) values (?, ?) on conflict (id) do nothing`,
    ),
    insertRow: tableStatements(
      connection,
      (n) => `insert or replace into ${indexTable(n)} (key, doc) values (?, ?)`,
    ),
    deleteRow: tableStatements(connection, (n) => `delete from ${indexTable(n)} where key = ?`),
    findOtherRow: tableStatements(
      connection,
      (n) => `select 1 from ${indexTable(n)} where key >= ? and key < ? and doc <> ? limit 1`,
    ),
  };
}

export interface IndexRowChange {
  readonly doc: number;
  readonly before: StoredDocument | undefined;
  readonly after: StoredDocument | undefined;
  readonly workLimit: WorkLimit;
}

/** Replaces the rows of one document. For an unfinished index it also marks the document, so that the running build skips it. */
export function updateIndex(context: WriteContext, index: IndexEntry, change: IndexRowChange): void {
  if (change.after !== undefined) context.newDocumentCheck(index)(change.after);
  updateIndexRows(context, index, change);
  if (index.ready) return;
  context.connection
    .statement('insert or ignore into touched (idx, doc) values (?, ?)')
    .run(index.n, change.doc);
}

/**
 * Replaces the rows of one document. Throws `duplicate` if a unique key is taken, `parallel-arrays` if the index cannot hold
 * the document.
 */
export function updateIndexRows(context: WriteContext, index: IndexEntry, change: IndexRowChange): void {
  const encode = context.rowEncoder(index);
  const { doc, before, after, workLimit } = change;
  const oldRows = before === undefined ? NO_ROWS : encode(before, workLimit);
  const newRows = after === undefined ? NO_ROWS : encode(after, workLimit);
  const { removed, added } = diffKeys(index, oldRows.keys, newRows.keys);
  deleteRows(context, index.n, removed);
  if (index.definition.unique) checkUnique(context, index, { doc, keys: added, idBytes: newRows.idBytes });
  insertRows(context, index.n, { doc, keys: added, workLimit });
  if ((index.multikey | newRows.arrays) === index.multikey) return;
  index.multikey |= newRows.arrays;
  context.catalogue.saveIndex(index);
}

function diffKeys(index: IndexEntry, old: readonly Buffer[], fresh: readonly Buffer[]) {
  // An unfinished index may or may not hold the old rows: write all of them.
  if (!index.ready || old.length === 0 || fresh.length === 0) return { removed: old, added: fresh };
  const text = (key: Buffer) => key.toString('latin1');
  const oldKeys = new Set(old.map(text));
  const freshKeys = new Set(fresh.map(text));
  return {
    removed: old.filter((key) => !freshKeys.has(text(key))),
    added: fresh.filter((key) => !oldKeys.has(text(key))),
  };
}

function deleteRows(context: WriteContext, n: number, keys: readonly Buffer[]): void {
  if (keys.length === 0) return;
  const statement = context.deleteRow(n);
  for (const key of keys) statement.run(key);
}

interface AddedRows {
  readonly doc: number;
  readonly keys: readonly Buffer[];
}

function insertRows(
  context: WriteContext,
  n: number,
  rows: AddedRows & { readonly workLimit: WorkLimit },
): void {
  if (rows.keys.length === 0) return;
  const statement = context.insertRow(n);
  for (const key of rows.keys) {
    rows.workLimit.tick(0);
    statement.run(key, rows.doc);
  }
}

function checkUnique(
  context: WriteContext,
  index: IndexEntry,
  rows: AddedRows & { readonly idBytes: number },
): void {
  const statement = context.findOtherRow(index.n);
  for (const key of rows.keys) {
    const prefix = key.subarray(0, key.length - rows.idBytes);
    if (statement.get(prefix, prefixSuccessor(prefix), rows.doc) === undefined) continue;
    throw new StoreError('duplicate', { fields: index.definition.keys.map((part) => part.path) });
  }
}
