// The ids that the server gives to collections. No two databases share one: a copy of a collection has another id.
import { createConnection } from './connection/connection.ts';
import type { MongoOptions } from './connection/types.ts';

/** Reads the ids of the collections of a database; null is that of the connection string. Rejects as the store does. */
export async function readCollectionIds(
  options: MongoOptions,
  database: string | null,
): Promise<ReadonlySet<string>> {
  const connection = createConnection(options);
  try {
    return await connection.run({}, async (scope) => {
      const ids = new Set<string>();
      for await (const { info } of scope.database(database).listCollections({}, { nameOnly: false })) {
        if (info?.uuid !== undefined) ids.add(info.uuid.toString('hex'));
      }
      return ids;
    });
  } finally {
    await connection.close();
  }
}
