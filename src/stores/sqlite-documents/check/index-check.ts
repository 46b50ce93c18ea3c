// Compares the rows of one index with those that the documents should have.
import { StoreError } from '../../../errors/errors.ts';
import type { StoredDocument } from '../../ports.ts';
import { type IndexEntry, indexTable } from '../data-file/catalogue.ts';
import { createDeadlineLimit } from '../data-file/connection.ts';
import type { EncodedRows } from '../indexes/index-keys.ts';
import type { WriteContext } from '../indexes/index-update.ts';

/** Numbers of wrong rows in an index. */
export interface RowIssues {
  readonly missing: number;
  readonly surplus: number;
  /** Rows of a document that are there instead of a missing one. */
  readonly wrong: number;
  /** Documents with an array in a key that is not marked as multikey: queries would misread their rows. */
  readonly unmarked: number;
}

/** One table of an index, and the rows of a document that belong to it. */
export interface CheckedTable {
  readonly name: string;
  keysOf(rows: EncodedRows): readonly Buffer[];
}

/** Most documents with wrong rows that are remembered. Rows of further ones count as missing and surplus. */
const MAX_REMEMBERED = 10_000;

const NO_LIMIT = createDeadlineLimit(undefined);

/** The rows that a document should have in one table. */
interface ExpectedRows {
  readonly keys: readonly Buffer[];
  readonly texts: ReadonlySet<string>;
}

const NO_KEYS: ExpectedRows = { keys: [], texts: new Set() };

const textOf = (key: Uint8Array) =>
  Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1');

export function tablesOfIndex({ n, caseInsensitive: folded }: IndexEntry): readonly CheckedTable[] {
  const exact: CheckedTable = { name: indexTable(n, false), keysOf: (rows) => rows.exact };
  return folded ? [exact, { name: indexTable(n, true), keysOf: (rows) => rows.caseFolded }] : [exact];
}

/** Checks all rows first, then all documents. Call each method inside the snapshot that its arguments were read in. */
export class IndexCheck {
  readonly #writer: WriteContext;
  #missing = 0;
  #surplus = 0;
  #wrong = 0;
  #unmarked = 0;
  /** For documents with foreign rows: the number of rows that they lack, and how many of those are paired with a foreign one. */
  readonly #lacking = new Map<string, { readonly rows: number; paired: number }>();
  readonly #expected = new WeakMap<StoredDocument, Map<string, ExpectedRows>>();

  constructor(writer: WriteContext) {
    this.#writer = writer;
  }

  get issues(): RowIssues {
    return { missing: this.#missing, surplus: this.#surplus, wrong: this.#wrong, unmarked: this.#unmarked };
  }

  /** `document` is the document of the row; undefined if it does not exist. Its expected rows are cached by object. */
  checkRow(
    index: IndexEntry,
    table: CheckedTable,
    row: readonly [Uint8Array, number],
    document?: StoredDocument,
  ): void {
    const [key, doc] = row;
    const expected = document === undefined ? NO_KEYS : this.#expectedOf(index, table, document);
    if (expected.texts.has(textOf(key))) return;
    const lacking = this.#lackingOf(table, doc, expected.keys);
    if (lacking !== undefined && lacking.paired < lacking.rows) {
      lacking.paired += 1;
      this.#wrong += 1;
    } else this.#surplus += 1;
  }

  checkDocument(index: IndexEntry, doc: number, document: StoredDocument): void {
    const rows = this.#rowsOf(index, document);
    if (rows === undefined) {
      this.#missing += 1;
      return;
    }
    if ((rows.arrays & ~index.multikey) !== 0) this.#unmarked += 1;
    for (const table of tablesOfIndex(index)) {
      const missing = this.#count(table, doc, table.keysOf(rows));
      this.#missing += Math.max(0, missing - (this.#lacking.get(nameOf(table, doc))?.paired ?? 0));
    }
  }

  #expectedOf(index: IndexEntry, table: CheckedTable, document: StoredDocument): ExpectedRows {
    const tables = this.#expected.get(document) ?? new Map<string, ExpectedRows>();
    const known = tables.get(table.name);
    if (known !== undefined) return known;
    const rows = this.#rowsOf(index, document);
    const keys = rows === undefined ? [] : table.keysOf(rows);
    const expected = { keys, texts: new Set(keys.map(textOf)) };
    this.#expected.set(document, tables.set(table.name, expected));
    return expected;
  }

  /** Undefined for arrays that an index cannot hold. Commits reject such documents. */
  #rowsOf(index: IndexEntry, document: StoredDocument): EncodedRows | undefined {
    try {
      return this.#writer.rowEncoder(index)(document, NO_LIMIT);
    } catch (error) {
      if (error instanceof StoreError && error.reason === 'parallel-arrays') return undefined;
      throw error;
    }
  }

  #lackingOf(table: CheckedTable, doc: number, expected: readonly Buffer[]) {
    const name = nameOf(table, doc);
    const known = this.#lacking.get(name);
    if (known !== undefined || this.#lacking.size >= MAX_REMEMBERED) return known;
    const rows = this.#count(table, doc, expected);
    if (rows === 0) return undefined;
    const lacking = { rows, paired: 0 };
    this.#lacking.set(name, lacking);
    return lacking;
  }

  /** Counts the rows that are missing. */
  #count(table: CheckedTable, doc: number, expected: readonly Buffer[]): number {
    const statement = this.#writer.connection.statement(`select doc from ${table.name} where key = ?`);
    const isThere = (key: Buffer) => (statement.get(key) as unknown as [number] | undefined)?.[0] === doc;
    return expected.filter((key) => !isThere(key)).length;
  }
}

const nameOf = (table: CheckedTable, doc: number) => `${table.name}/${doc}`;
