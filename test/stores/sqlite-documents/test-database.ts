// A data file of its own for one test, with a writing connection on it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { IndexDefinition, IndexKey, Namespace, Write } from '../../../src/stores/ports.ts';
import { applyWrites } from '../../../src/stores/sqlite-documents/commit/apply-writes.ts';
import { createCatalogue, createSchema } from '../../../src/stores/sqlite-documents/data-file/catalogue.ts';
import {
  type Connection,
  createDeadlineLimit,
  openConnection,
  type WorkLimit,
} from '../../../src/stores/sqlite-documents/data-file/connection.ts';
import {
  createWriteContext,
  type WriteContext,
} from '../../../src/stores/sqlite-documents/indexes/index-update.ts';

export const NS: Namespace = { database: null, collection: 'things' };

export const NO_LIMIT: WorkLimit = createDeadlineLimit(undefined);

export interface TestDatabase extends WriteContext {
  readonly file: string;
  /** One more connection on the same file. */
  connect(options?: { readonly readOnly?: boolean; readonly sharedReads?: boolean }): Connection;
  /** Inserts documents with the ids 1, 2, 3 and so on. */
  fill(documents: readonly JsonObject[]): void;
  /** Declares a ready index on an empty collection. */
  index(definition: IndexDefinition): void;
}

export const idOf = (n: number): string => n.toString(16).padStart(24, '0');

export const insertThing = (n: number, fields: JsonObject): Write => ({
  kind: 'insert',
  ns: NS,
  document: { _id: idOf(n), ...fields },
});

export function indexOf(...keys: (Partial<IndexKey> & { path: string })[]): IndexDefinition {
  const parts = keys.map(({ path, direction = 1 }) => ({ path, direction }));
  return { name: keys.map((key) => key.path).join('_'), keys: parts, unique: false, sparse: false };
}

export function openTestDatabase(): TestDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'cloister-bench-'));
  const file = join(folder, 'cloister.db');
  const open: Connection[] = [];
  const connect = ({ readOnly = false, sharedReads = false } = {}) => {
    const connection = openConnection({
      file,
      readOnly,
      sharedSnapshots: sharedReads,
      busyTimeoutMs: 0,
      cacheSizeKb: 2000,
    });
    open.push(connection);
    return connection;
  };
  onTestFinished(() => {
    for (const connection of open) if (connection.db.isOpen) connection.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const connection = connect();
  createSchema(connection);
  const writer = createWriteContext({ connection, catalogue: createCatalogue(connection) });
  return {
    ...writer,
    file,
    connect,
    fill: (documents) =>
      applyWrites(
        writer,
        documents.map((fields, at) => insertThing(at + 1, fields)),
        NO_LIMIT,
      ),
    index(definition) {
      writer.catalogue.refresh();
      writer.catalogue.addIndex(writer.catalogue.ensure(NS), definition, true);
    },
  };
}

/** The same writer, and how often it has worked out the rows of a document. */
export function countEncodedRows(writer: WriteContext): { readonly writer: WriteContext; made(): number } {
  let made = 0;
  const rowMaker: WriteContext['rowEncoder'] = (index) => {
    const make = writer.rowEncoder(index);
    return (...given) => {
      made += 1;
      return make(...given);
    };
  };
  return { writer: { ...writer, rowEncoder: rowMaker }, made: () => made };
}
