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

/** Most documents with wrong rows that are remembered. Rows of further ones count as missing and surplus. */
const MAX_REMEMBERED = 10_000;

const NO_LIMIT = createDeadlineLimit(undefined);

/** The rows that a document should have. */
interface ExpectedRows {
  readonly keys: readonly Buffer[];
  readonly texts: ReadonlySet<string>;
}

const NO_KEYS: ExpectedRows = { keys: [], texts: new Set() };

const textOf = (key: Uint8Array) =>
  Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1');

/** Checks one index: all rows first, then all documents. Call each method inside the snapshot that its arguments were read in. */
export class IndexCheck {
  readonly #writer: WriteContext;
  #missing = 0;
  #surplus = 0;
  #wrong = 0;
  #unmarked = 0;
  /** For documents with foreign rows: the number of rows that they lack, and how many of those are paired with a foreign one. */
  readonly #lacking = new Map<number, { readonly rows: number; paired: number }>();
  readonly #expected = new WeakMap<StoredDocument, ExpectedRows>();

  constructor(writer: WriteContext) {
    this.#writer = writer;
  }

  get issues(): RowIssues {
    return { missing: this.#missing, surplus: this.#surplus, wrong: this.#wrong, unmarked: this.#unmarked };
  }

  /** `document` is the document of the row; undefined if it does not exist. Its expected rows are cached by object. */
  checkRow(index: IndexEntry, row: readonly [Uint8Array, number], document?: StoredDocument): void {
    const [key, doc] = row;
    const expected = document === undefined ? NO_KEYS : this.#expectedOf(index, document);
    if (expected.texts.has(textOf(key))) return;
    const lacking = this.#lackingOf(index, doc, expected.keys);
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
    const missing = this.#count(index, doc, rows.keys);
    this.#missing += Math.max(0, missing - (this.#lacking.get(doc)?.paired ?? 0));
  }

  #expectedOf(index: IndexEntry, document: StoredDocument): ExpectedRows {
    const known = this.#expected.get(document);
    if (known !== undefined) return known;
    const keys = this.#rowsOf(index, document)?.keys ?? [];
    const expected = { keys, texts: new Set(keys.map(textOf)) };
    this.#expected.set(document, expected);
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

  #lackingOf(index: IndexEntry, doc: number, expected: readonly Buffer[]) {
    const known = this.#lacking.get(doc);
    if (known !== undefined || this.#lacking.size >= MAX_REMEMBERED) return known;
    const rows = this.#count(index, doc, expected);
    if (rows === 0) return undefined;
    const lacking = { rows, paired: 0 };
    this.#lacking.set(doc, lacking);
    return lacking;
  }

  /** Counts the rows that are missing. */
  #count(index: IndexEntry, doc: number, expected: readonly Buffer[]): number {
    const statement = this.#writer.connection.statement(
      `select doc from ${indexTable(index.n)} where key = ?`,
    );
    const isThere = (key: Buffer) => (statement.get(key) as unknown as [number] | undefined)?.[0] === doc;
    return expected.filter((key) => !isThere(key)).length;
  }
}
