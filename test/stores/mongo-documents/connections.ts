// Connections for tests, closed when the test is over.
import { onTestFinished } from 'vitest';
import { createConnection } from '../../../src/stores/mongo-documents/connection/connection.ts';
import type { MongoConnection, MongoOptions } from '../../../src/stores/mongo-documents/connection/types.ts';
import { createLogLines } from './log-lines.ts';

/** A connection to the server of `uri`, and the lines of its log. Its operations have as much time as a slow machine needs. */
export function openConnection(uri: string, options: Partial<MongoOptions> = {}) {
  const { log, lines } = createLogLines();
  const connection: MongoConnection = createConnection({
    uri,
    maxPoolSize: 10,
    minPoolSize: 0,
    separateDatabases: false,
    queryMs: 60_000,
    log,
    ...options,
  });
  onTestFinished(() => connection.close());
  return { connection, lines };
}

/** What a rejected promise rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it did not reject');
}
