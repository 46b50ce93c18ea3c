// Tables of the data file: one per collection, one per index, `touched` for running index builds, and `collections` and `indexes`,
// the catalogue. Each connection has a copy of the catalogue in memory, reloaded after another connection wrote.
import { type IndexDefinition, type Namespace, namespaceKey } from '../../ports.ts';
import { type Connection, inTransaction } from './connection.ts';

/** Incremented when the layout changes. A file with another layout is rejected. */
const LAYOUT = 2;

const CATALOGUE_TABLES = `
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

/** Whether the file has the schema; an empty one does not. Throws for a file of another layout. */
export function hasSchema({ db }: Connection): boolean {
  const layout = Number(db.prepare('pragma user_version').get()?.[0]);
  if (layout !== 0 && layout !== LAYOUT)
    throw new Error(`The data file has layout ${layout}; this version reads ${LAYOUT}`);
  return layout === LAYOUT;
}

/** Creates the schema in an empty file. Throws for a file of another layout. */
export function createSchema(connection: Connection): void {
  if (hasSchema(connection)) return;
  connection.db.exec('pragma journal_mode=wal');
  inTransaction(connection, 'immediate', () => {
    connection.db.exec(CATALOGUE_TABLES);
    connection.db.exec(`pragma user_version=${LAYOUT}`);
  });
}

/** Table of collection `n`: `json` is the whole document, `_id` included. */
export const documentTable = (n: number): string => `d_${n}`;

/** Table of index `n`. */
export const indexTable = (n: number): string => `i_${n}`;

export function createDocumentTable(connection: Connection, n: number): void {
  connection.db.exec(
    `create table ${documentTable(n)} (doc integer primary key, id text not null unique, json text not null)`,
  );
}

export function createIndexTable(connection: Connection, n: number): void {
  connection.db.exec(
    `create table ${indexTable(n)} (key blob primary key, doc integer not null) without rowid`,
  );
}

export interface IndexEntry {
  readonly n: number;
  readonly name: string;
  readonly definition: IndexDefinition;
  /** The index covers every document, so queries may use it. */
  ready: boolean;
  /** The last `doc` that the index build has processed. */
  watermark: number;
  /** One bit per key: set when some document holds an array there. */
  multikey: number;
}

export interface CollectionEntry {
  readonly n: number;
  readonly ns: Namespace;
  documents: number;
  /** Total length of all texts, in UTF-16 units. */
  bytes: number;
  /** The longest text ever stored. */
  largest: number;
  /** Number of commits that changed the collection. Cached counts are valid for one value of it. */
  writes: number;
  readonly indexes: readonly IndexEntry[];
}

export interface Catalogue {
  /** Reloads the catalogue if another connection wrote. Cheap otherwise. */
  refresh(): void;
  /** Drops the in-memory state, which a rolled back transaction may have changed. */
  invalidate(): void;
  get(ns: Namespace): CollectionEntry | undefined;
  /** Returns the collection and creates it if it is missing. Requires a write transaction. */
  ensure(ns: Namespace): CollectionEntry;
  list(): readonly CollectionEntry[];
  /** Writes the counters of `entry`. */
  save(entry: CollectionEntry): void;
  addIndex(entry: CollectionEntry, definition: IndexDefinition, ready: boolean): IndexEntry;
  saveIndex(index: IndexEntry): void;
  dropIndex(entry: CollectionEntry, index: IndexEntry): void;
  /** Deletes the index but keeps its table: damaged pages cannot be freed. */
  forgetIndex(entry: CollectionEntry, index: IndexEntry): void;
}

/** An open data file: what reads and writes of it need. */
export interface DataFile {
  readonly connection: Connection;
  readonly catalogue: Catalogue;
}

/** Runs `work` in one snapshot of the file. `entry` is undefined when the collection does not exist. */
export function onSnapshot<T>(
  { connection, catalogue }: DataFile,
  ns: Namespace,
  work: (entry: CollectionEntry | undefined) => T,
): T {
  return connection.onSnapshot((isNew) => {
    if (isNew) catalogue.refresh();
    return work(catalogue.get(ns));
  });
}

/** Runs `work` in one write transaction with a current catalogue. On an error everything is rolled back and rethrown. */
export function inWriteTransaction<T>({ connection, catalogue }: DataFile, work: () => T): T {
  try {
    return inTransaction(connection, 'immediate', () => {
      catalogue.refresh();
      return work();
    });
  } catch (error) {
    catalogue.invalidate();
    throw error;
  }
}

type Row = readonly unknown[];

type ReadDefinition = (text: string) => IndexDefinition;

/** Returns the same object for the same text, so that row encoders cached by definition stay valid across reloads. */
function createDefinitionReader(): ReadDefinition {
  const known = new Map<string, IndexDefinition>();
  return (text) => {
    const definition = known.get(text) ?? (JSON.parse(text) as IndexDefinition);
    known.set(text, definition);
    return definition;
  };
}

function readIndexes(connection: Connection, read: ReadDefinition): Map<number, IndexEntry[]> {
  const sql = 'select n, collection, name, definition, ready, watermark, multikey from indexes order by n';
  const byCollection = new Map<number, IndexEntry[]>();
  for (const row of connection.statement(sql).all() as unknown as Row[]) {
    const definition = read(String(row[3]));
    const entry: IndexEntry = {
      n: Number(row[0]),
      name: String(row[2]),
      definition,
      ready: row[4] === 1,
      watermark: Number(row[5]),
      multikey: Number(row[6]),
    };
    const list = byCollection.get(Number(row[1])) ?? [];
    list.push(entry);
    byCollection.set(Number(row[1]), list);
  }
  return byCollection;
}

function readCollections(connection: Connection, read: ReadDefinition): Map<string, CollectionEntry> {
  const indexes = readIndexes(connection, read);
  const sql = 'select n, database, collection, documents, bytes, largest, writes from collections';
  const entries = new Map<string, CollectionEntry>();
  for (const row of connection.statement(sql).all() as unknown as Row[]) {
    const database = row[1] === '' ? null : String(row[1]);
    const entry: CollectionEntry = {
      n: Number(row[0]),
      ns: { database, collection: String(row[2]) },
      documents: Number(row[3]),
      bytes: Number(row[4]),
      largest: Number(row[5]),
      writes: Number(row[6]),
      indexes: indexes.get(Number(row[0])) ?? [],
    };
    entries.set(namespaceKey(entry.ns), entry);
  }
  return entries;
}

/** Creates the catalogue of one connection. Call `refresh` inside the transaction that reads it. */
export function createCatalogue(connection: Connection): Catalogue {
  const read = createDefinitionReader();
  let version = -1;
  let entries = new Map<string, CollectionEntry>();

  const insertIndex = (entry: CollectionEntry, definition: IndexDefinition, ready: boolean): IndexEntry => {
    const sql = 'insert into indexes (collection, name, definition, ready) values (?, ?, ?, ?)';
    const text = JSON.stringify(definition);
    const done = connection.statement(sql).run(entry.n, definition.name, text, ready ? 1 : 0);
    const n = Number(done.lastInsertRowid);
    const { name } = definition;
    return {
      n,
      name,
      definition,
      ready,
      watermark: 0,
      multikey: 0,
    };
  };

  const replace = (entry: CollectionEntry, indexes: readonly IndexEntry[]) => {
    entries.set(namespaceKey(entry.ns), { ...entry, indexes });
  };

  const forgetIndex = (entry: CollectionEntry, index: IndexEntry) => {
    connection.statement('delete from indexes where n=?').run(index.n);
    connection.statement('delete from touched where idx=?').run(index.n);
    replace(
      entry,
      entry.indexes.filter((other) => other.n !== index.n),
    );
  };

  return {
    refresh() {
      const current = Number((connection.statement('pragma data_version').get() as unknown as Row)[0]);
      if (current === version) return;
      entries = readCollections(connection, read);
      version = current;
    },
    invalidate() {
      version = -1;
      // A rollback may have removed collections and indexes.
      entries = new Map();
    },
    get: (ns) => entries.get(namespaceKey(ns)),
    ensure(ns) {
      const known = entries.get(namespaceKey(ns));
      if (known !== undefined) return known;
      const sql = 'insert into collections (database, collection) values (?, ?)';
      const done = connection.statement(sql).run(ns.database ?? '', ns.collection);
      const n = Number(done.lastInsertRowid);
      createDocumentTable(connection, n);
      const sizes = { documents: 0, bytes: 0, largest: 0, writes: 0 };
      const entry: CollectionEntry = {
        n,
        ns: { database: ns.database, collection: ns.collection },
        ...sizes,
        indexes: [],
      };
      entries.set(namespaceKey(ns), entry);
      return entry;
    },
    list: () => [...entries.values()],
    save(entry) {
      const sql = 'update collections set documents=?, bytes=?, largest=?, writes=? where n=?';
      connection.statement(sql).run(entry.documents, entry.bytes, entry.largest, entry.writes, entry.n);
    },
    addIndex(entry, definition, ready) {
      const index = insertIndex(entry, definition, ready);
      createIndexTable(connection, index.n);
      replace(entry, [...entry.indexes, index]);
      return index;
    },
    saveIndex(index) {
      const sql = 'update indexes set ready=?, watermark=?, multikey=? where n=?';
      connection.statement(sql).run(index.ready ? 1 : 0, index.watermark, index.multikey, index.n);
    },
    dropIndex(entry, index) {
      connection.db.exec(`drop table ${indexTable(index.n)}`);
      forgetIndex(entry, index);
    },
    forgetIndex,
  };
}
