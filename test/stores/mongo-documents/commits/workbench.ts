// What the tests of commits share: commits on a database of their own, and a look at what is in it.
import { type Collection, type Document, MongoClient } from 'mongodb';
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json/json.ts';
import { createMongoCommits } from '../../../../src/stores/mongo-documents/commits/commits.ts';
import { createConnection } from '../../../../src/stores/mongo-documents/connection/connection.ts';
import type { KnownIndex, MongoConnection } from '../../../../src/stores/mongo-documents/connection/types.ts';
import { createTypeProbe } from '../../../../src/stores/mongo-documents/query/type-probe.ts';
import type { DocumentStore, Namespace, Write } from '../../../../src/stores/ports.ts';
import { idOf } from '../../../contracts/store-cases.ts';

export interface Workbench extends Pick<DocumentStore, 'commit' | 'onCommit'> {
  readonly connection: MongoConnection;
  /** What was logged as an error. */
  readonly errors: unknown[][];
  /** What a collection holds, by `_id`, as the driver gives it. */
  stored(ns: Namespace): Promise<Document[]>;
  /** The collection itself, past the store. */
  raw(ns: Namespace): Collection;
  /** Runs a command of an operator. */
  admin(command: Document): Promise<Document>;
}

interface WorkbenchOptions {
  readonly indexes?: readonly KnownIndex[];
  /** Milliseconds that an operation without a deadline may take. */
  readonly queryMs?: number;
}

/** Commits on the database of a connection string, closed when the test is over. */
export function openWorkbench(
  uri: string,
  { indexes = [], queryMs = 20_000 }: WorkbenchOptions = {},
): Workbench {
  const errors: unknown[][] = [];
  const log = { info() {}, warn() {}, error: (...line: unknown[]) => void errors.push(line) };
  const options = { uri, maxPoolSize: 20, minPoolSize: 0, separateDatabases: false, queryMs, log };
  const connection = createConnection(options);
  onTestFinished(() => connection.close());
  // Not one that is shared: it must be closed before a server of the test's own goes.
  const client = new MongoClient(uri);
  onTestFinished(() => client.close());
  const typeProbe = createTypeProbe(() => performance.now());
  const raw = (ns: Namespace) => client.db(ns.database ?? undefined).collection(ns.collection);
  return {
    ...createMongoCommits({ connection, indexes: { of: () => indexes }, typeProbe, log }),
    connection,
    errors,
    raw,
    admin: (command) => client.db('admin').command(command),
    stored: (ns) => raw(ns).find().sort({ _id: 1 }).toArray(),
  };
}

export const update = (ns: Namespace, n: number, v: number, fields: JsonObject): Write => ({
  kind: 'update',
  ns,
  id: idOf(n),
  v,
  document: { ...fields, v: v + 1, _id: idOf(n) },
  changed: [...Object.keys(fields), 'v'],
});

export const remove = (ns: Namespace, n: number, v: number): Write => ({
  kind: 'remove',
  ns,
  id: idOf(n),
  v,
});
