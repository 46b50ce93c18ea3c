// A data file of its own for one test, with a writing connection on it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { IndexDefinition, IndexKey, Namespace, Write } from '../../../src/stores/ports.ts';
import { createCatalogue } from '../../../src/stores/sqlite-documents/catalogue.ts';
import { applyWrites, createWriter, type Writer } from '../../../src/stores/sqlite-documents/commit.ts';
import { type Connection, openConnection } from '../../../src/stores/sqlite-documents/connection.ts';
import { createDeadline, type Meter } from '../../../src/stores/sqlite-documents/meter.ts';
import { prepareFile } from '../../../src/stores/sqlite-documents/schema.ts';

export const NS: Namespace = { database: null, collection: 'things' };

export const FREE: Meter = createDeadline(undefined);

export interface Workbench extends Writer {
  readonly file: string;
  /** One more connection on the same file. */
  connect(options?: { readonly readOnly?: boolean; readonly sharedReads?: boolean }): Connection;
  /** Inserts documents with the ids 1, 2, 3 and so on. */
  fill(documents: readonly JsonObject[]): void;
  /** Declares a ready index on an empty collection. */
  index(definition: IndexDefinition): void;
}

export const idOf = (n: number): string => n.toString(16).padStart(24, '0');

export const insertOf = (n: number, fields: JsonObject): Write => ({
  kind: 'insert',
  ns: NS,
  document: { _id: idOf(n), ...fields },
});

export function indexOf(...keys: (Partial<IndexKey> & { path: string })[]): IndexDefinition {
  const parts = keys.map(({ path, direction = 1, fold = false }) => ({ path, direction, fold }));
  return { name: keys.map((key) => key.path).join('_'), keys: parts, unique: false, sparse: false };
}

export function openWorkbench(): Workbench {
  const folder = mkdtempSync(join(tmpdir(), 'cloister-bench-'));
  const file = join(folder, 'cloister.db');
  const open: Connection[] = [];
  const connect = ({ readOnly = false, sharedReads = false } = {}) => {
    const connection = openConnection({ file, readOnly, sharedReads, busyMs: 0, cacheKilobytes: 2000 });
    open.push(connection);
    return connection;
  };
  onTestFinished(() => {
    for (const connection of open) if (connection.db.isOpen) connection.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const connection = connect();
  prepareFile(connection);
  const writer = createWriter(connection, createCatalogue(connection));
  return {
    ...writer,
    file,
    connect,
    fill: (documents) =>
      applyWrites(
        writer,
        documents.map((fields, at) => insertOf(at + 1, fields)),
        FREE,
      ),
    index(definition) {
      writer.catalogue.refresh();
      writer.catalogue.addIndex(writer.catalogue.ensure(NS), definition, true);
    },
  };
}

/** The same writer, and how often it has worked out the rows of a document. */
export function countingRows(writer: Writer): { readonly writer: Writer; made(): number } {
  let made = 0;
  const rowMaker: Writer['rowMaker'] = (index) => {
    const make = writer.rowMaker(index);
    return (...given) => {
      made += 1;
      return make(...given);
    };
  };
  return { writer: { ...writer, rowMaker }, made: () => made };
}
