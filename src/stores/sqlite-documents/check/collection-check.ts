// Compares the indexes of one collection with its documents in slices, so that a server can keep working on the file.
import type { StoredDocument } from '../../ports.ts';
import { type CollectionEntry, documentTable, type IndexEntry, indexTable } from '../data-file/catalogue.ts';
import { inTransaction } from '../data-file/connection.ts';
import type { WriteContext } from '../indexes/index-update.ts';
import { IndexCheck, type RowIssues } from './index-check.ts';

export interface CollectionIssues {
  /** By the number of the index. */
  readonly indexes: ReadonlyMap<number, RowIssues>;
  /** Documents that are not JSON, or stored under another id than their own. */
  readonly damaged: number;
  readonly documents: number;
}

export interface CollectionCheckTask {
  /** The number of the collection. */
  readonly n: number;
  /** The numbers of the indexes to check. */
  readonly indexes: readonly number[];
  /** Approximate milliseconds of a slice, each of which is one snapshot of the file. */
  readonly ms: number;
}

type IndexRow = readonly [key: Uint8Array, doc: number];
type DocumentRow = readonly [doc: number, id: string, json: string];

function parsed(id: string, json: string): StoredDocument | undefined {
  try {
    const document = JSON.parse(json) as StoredDocument | null;
    return typeof document === 'object' && document?._id === id ? document : undefined;
  } catch {
    return undefined;
  }
}

/** Longer documents are cached while their rows are checked: they may have many. */
const MIN_CACHED_TEXT = 1000;
/** UTF-16 units of cached documents. */
const MAX_CACHED_TEXT = 2 * 1024 * 1024;

class CollectionCheck {
  readonly #writer: WriteContext;
  readonly #task: CollectionCheckTask;
  readonly #checks: ReadonlyMap<number, IndexCheck>;
  readonly #cached = new Map<number, { readonly json: string; readonly document: StoredDocument }>();
  #remaining = MAX_CACHED_TEXT;
  #damaged = 0;
  #documents = 0;

  constructor(writer: WriteContext, task: CollectionCheckTask) {
    this.#writer = writer;
    this.#task = task;
    this.#checks = new Map(task.indexes.map((n) => [n, new IndexCheck(writer)]));
  }

  *run(): Generator<void, CollectionIssues> {
    for (const n of this.#checks.keys()) yield* this.#rows(n);
    yield* this.#allDocuments();
    const indexes = new Map([...this.#checks].map(([n, check]) => [n, check.issues]));
    return { indexes, damaged: this.#damaged, documents: this.#documents };
  }

  #onSnapshot<T>(work: (entry: CollectionEntry) => T): T | undefined {
    const { connection, catalogue } = this.#writer;
    return inTransaction(connection, 'read', () => {
      catalogue.refresh();
      const entry = catalogue.list().find(({ n }) => n === this.#task.n);
      return entry === undefined ? undefined : work(entry);
    });
  }

  /** Another process may drop or rebuild an index during the check: it is skipped from then on. */
  #readyOf({ indexes }: CollectionEntry): readonly IndexEntry[] {
    return indexes.filter(({ n, ready }) => ready && this.#checks.has(n));
  }

  /** Calls `each` for the rows of `sql` until the slice ends. Returns true if there may be more. */
  #slice<T>(sql: string, after: number | Uint8Array, each: (row: T) => void): boolean {
    const end = performance.now() + this.#task.ms;
    for (const row of this.#writer.connection.statement(sql).iterate(after) as unknown as Iterable<T>) {
      each(row);
      if (performance.now() > end) return true;
    }
    return false;
  }

  *#rows(n: number): Generator<void, void> {
    const sql = `select key, doc from ${indexTable(n)} where key > ? order by key`;
    let after: Uint8Array = Buffer.alloc(0);
    const next = (entry: CollectionEntry) => {
      const index = this.#readyOf(entry).find((other) => other.n === n);
      if (index === undefined) return false;
      return this.#slice<IndexRow>(sql, after, (row) => {
        after = row[0];
        this.#row(entry, index, row);
      });
    };
    this.#onSnapshot((entry) => this.#noKeys(entry, n));
    while (this.#onSnapshot(next) === true) yield;
  }

  /** Rows whose key is not a blob sort before every key. They come from other tools. */
  #noKeys(entry: CollectionEntry, n: number): void {
    const index = this.#readyOf(entry).find((other) => other.n === n);
    if (index === undefined) return;
    const sql = `select x'', doc from ${indexTable(n)} where key <= x''`;
    for (const row of this.#writer.connection.statement(sql).iterate() as unknown as Iterable<IndexRow>) {
      this.#row(entry, index, row);
    }
  }

  #row(entry: CollectionEntry, index: IndexEntry, row: IndexRow): void {
    const sql = `select id, json from ${documentTable(entry.n)} where doc = ?`;
    const found = this.#writer.connection.statement(sql).get(row[1]) as unknown as
      | [string, string]
      | undefined;
    const document = found === undefined ? undefined : this.#parsedOnce(row[1], ...found);
    // The expected rows of an unreadable document are unknown.
    if (found !== undefined && document === undefined) return;
    this.#checks.get(index.n)?.checkRow(index, row, document);
  }

  /** Returns the same object for the same text, so that a long array is not parsed again for each of its rows. */
  #parsedOnce(doc: number, id: string, json: string): StoredDocument | undefined {
    const cached = this.#cached.get(doc);
    if (cached?.json === json) return cached.document;
    const document = parsed(id, json);
    if (document === undefined || json.length < MIN_CACHED_TEXT) return document;
    if (json.length > this.#remaining) {
      this.#cached.clear();
      this.#remaining = MAX_CACHED_TEXT;
    }
    this.#cached.set(doc, { json, document });
    this.#remaining -= json.length;
    return document;
  }

  *#allDocuments(): Generator<void, void> {
    let after = Number.MIN_SAFE_INTEGER;
    const next = (entry: CollectionEntry) => {
      const ready = this.#readyOf(entry);
      const sql = `select doc, id, json from ${documentTable(entry.n)} where doc > ? order by doc`;
      return this.#slice<DocumentRow>(sql, after, ([doc, id, json]) => {
        after = doc;
        this.#documents += 1;
        const document = parsed(id, json);
        if (document === undefined) this.#damaged += 1;
        else for (const index of ready) this.#checks.get(index.n)?.checkDocument(index, doc, document);
      });
    };
    while (this.#onSnapshot(next) === true) yield;
  }
}

/** Compares the ready ones of `task.indexes` with the documents. Yields between two slices. */
export function checkCollection(
  writer: WriteContext,
  task: CollectionCheckTask,
): Generator<void, CollectionIssues> {
  return new CollectionCheck(writer, task).run();
}
