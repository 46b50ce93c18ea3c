// Schema of the data file: the catalogue tables, `touched` for running index builds, one table per collection, and one or two
// tables per index. Documents are validated when they are read: a damaged page returns arbitrary bytes.

import type { StoredDocument } from '../../ports.ts';
import type { Connection } from './connection.ts';
import { StorageError } from './storage-errors.ts';

/** Incremented when the layout changes. A file with a newer layout is rejected. */
const LAYOUT = 1;

const CATALOGUE = `
  create table if not exists collections (
    n integer primary key,
    database text not null,
    collection text not null,
    documents integer not null default 0,
    bytes integer not null default 0,
    largest integer not null default 0,
    writes integer not null default 0,
    unique (database, collection)
  );
  create table if not exists indexes (
    n integer primary key autoincrement,
    collection integer not null,
    name text not null,
    definition text not null,
    ready integer not null default 0,
    watermark integer not null default 0,
    multikey integer not null default 0
  );
  create table if not exists touched (
    idx integer not null,
    doc integer not null,
    primary key (idx, doc)
  ) without rowid;
`;

/** Whether the file has the schema. Throws for a file of a newer version. */
export function hasSchema({ db }: Connection): boolean {
  const layout = Number(db.prepare('pragma user_version').get()?.[0]);
  if (layout > LAYOUT) throw new Error(`The data file has layout ${layout}; this version reads ${LAYOUT}`);
  return layout === LAYOUT;
}

/** Creates the schema if it is missing. Throws for a file of a newer version. */
export function createSchema(connection: Connection): void {
  const { db } = connection;
  if (hasSchema(connection)) return;
  db.exec(`pragma journal_mode=wal; begin immediate; ${CATALOGUE} pragma user_version=${LAYOUT}; commit`);
}

/** Table of collection `n`: `json` is the whole document, `_id` included. */
export const documentTable = (n: number): string => `d_${n}`;

/** Table of index `n`: with exact or with case-folded text. */
export const indexTable = (n: number, caseFolded: boolean): string => `${caseFolded ? 'f' : 'i'}_${n}`;

export function createDocumentTable(connection: Connection, n: number): void {
  connection.db.exec(
    `create table ${documentTable(n)} (doc integer primary key, id text not null unique, json text not null)`,
  );
}

export function createIndexTable(connection: Connection, n: number, caseFolded: boolean): void {
  connection.db.exec(
    `create table ${indexTable(n, caseFolded)} (key blob primary key, doc integer not null) without rowid`,
  );
}

const OPEN = '{'.charCodeAt(0);
const CLOSE = '}'.charCodeAt(0);

/** Returns the text of a document. Throws `damaged` for other values. Only the first and last character are checked: cheap. */
export function documentText(value: unknown): string {
  if (
    typeof value === 'string' &&
    value.charCodeAt(0) === OPEN &&
    value.charCodeAt(value.length - 1) === CLOSE
  )
    return value;
  throw new StorageError('damaged', 'a row of a collection contains no document');
}

/** Parses the text of a document. Throws `damaged` for any other text. */
export function parseDocument(text: string): StoredDocument {
  try {
    const document = JSON.parse(text) as StoredDocument;
    if (typeof document._id === 'string') return document;
  } catch {
    // Replaced below: the message of the parser would quote the document.
  }
  throw new StorageError('damaged', 'the text of a document is not valid');
}
