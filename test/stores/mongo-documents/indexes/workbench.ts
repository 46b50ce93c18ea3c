// What tests of indexes work with: a database of their own, the indexes of one process, and a look past both.
import type { Document } from 'mongodb';
import { onTestFinished } from 'vitest';
import { pause } from '../../../../src/lib/async/retry.ts';
import { createIndexMigrator } from '../../../../src/stores/mongo-documents/indexes/index-migrator.ts';
import type { IndexDefinition, Namespace } from '../../../../src/stores/ports.ts';
import { ownDatabase, rawClient } from '../../../helpers/store/mongo-servers.ts';
import { openConnection } from '../connections.ts';

export const SPACE: Namespace = { database: null, collection: 'books' };

/** The indexes as one process of the server keeps them. */
export function openIndexing(uri: string) {
  const { connection } = openConnection(uri);
  const indexing = createIndexMigrator({ connection, pause: (_, signal) => pause(50, signal) });
  onTestFinished(() => indexing.close());
  const ensure = async (definitions: readonly IndexDefinition[], ns = SPACE) => {
    const { built } = await indexing.ensureIndexes(ns, definitions);
    await built;
  };
  return { connection, indexing, ensure };
}

/** An empty database with the indexes of one process. */
export async function openBench(server: string) {
  const uri = await ownDatabase(server);
  const database = rawClient(uri).db();
  const books = database.collection(SPACE.collection);
  const names = async () => {
    const found: Document[] = await books
      .listIndexes()
      .toArray()
      .catch(() => []);
    return found.map(({ name }) => name).filter((name) => name !== '_id_');
  };
  const recorded = async (): Promise<string[]> => {
    const records = await database.collection('cloister.indexes').find().toArray();
    return records.flatMap(({ indexes }) => indexes.map(({ name }: Document) => name));
  };
  return { uri, database, books, names, recorded, ...openIndexing(uri) };
}
