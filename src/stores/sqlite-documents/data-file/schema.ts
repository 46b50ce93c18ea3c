// The layout of the data file: the catalogue, what was written during index builds, then one table a collection and one or two an index.
import type { Connection } from './connection.ts';

/** Grows when the layout changes. A file of a newer layout is refused. */
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

/** Tells whether the file has the tables of a data file. Throws for one that a newer version wrote. */
export function hasSchema({ db }: Connection): boolean {
  const layout = Number(db.prepare('pragma user_version').get()?.[0]);
  if (layout > LAYOUT) throw new Error(`The data file has layout ${layout}; this version reads ${LAYOUT}`);
  return layout === LAYOUT;
}

/** Creates what is missing. Throws for a file that a newer version wrote. */
export function createSchema(connection: Connection): void {
  const { db } = connection;
  if (hasSchema(connection)) return;
  db.exec(`pragma journal_mode=wal; begin immediate; ${CATALOGUE} pragma user_version=${LAYOUT}; commit`);
}

/** Documents of collection `n`: `json` is the whole text, `_id` included. */
export const documentTable = (n: number): string => `d_${n}`;

/** Entries of index `n`: text as it is, or with its case folded. */
export const indexTable = (n: number, folded: boolean): string => `${folded ? 'f' : 'i'}_${n}`;

export function createDocumentTable(connection: Connection, n: number): void {
  connection.db.exec(
    `create table ${documentTable(n)} (doc integer primary key, id text not null unique, json text not null)`,
  );
}

export function createIndexTable(connection: Connection, n: number, folded: boolean): void {
  connection.db.exec(
    `create table ${indexTable(n, folded)} (key blob primary key, doc integer not null) without rowid`,
  );
}
