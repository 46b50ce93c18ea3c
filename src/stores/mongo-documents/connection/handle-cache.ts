// The driver's objects for databases and collections: making one costs a tenth of a read by id, so each is made once.
import type { Collection, Db, MongoClient } from 'mongodb';

export interface HandleCache {
  database(name: string): Db;
  collection(database: string, name: string): Collection;
}

/** Past so many of a kind all are made anew on demand. */
const MAX_HANDLES = 10_000;

function getOrCreate<T>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size >= MAX_HANDLES) known.clear();
  const made = make();
  known.set(key, made);
  return made;
}

/** Databases and collections as this client has them. */
export function createHandleCache(client: MongoClient): HandleCache {
  const databases = new Map<string, Db>();
  const collections = new Map<string, Collection>();
  const database = (name: string) => getOrCreate(databases, name, () => client.db(name));
  return {
    database,
    // The name of a database has no dot in it, so that no two pairs share a key.
    collection: (of, name) => getOrCreate(collections, `${of}.${name}`, () => database(of).collection(name)),
  };
}
