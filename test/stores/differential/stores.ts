// Both databases of a comparison, empty, until the test is over.
import { onTestFinished } from 'vitest';
import { openMongoDocuments } from '../../../src/stores/mongo-documents/store.ts';
import { ownDatabase } from '../../helpers/store/mongo-servers.ts';
import { openTemporaryStore } from '../../helpers/store/temporary-store.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** An embedded database, and one of the test's own on the MongoDB server at `server`; `uri` names it. */
export async function openBothStores(server: string) {
  const uri = await ownDatabase(server);
  const mongo = openMongoDocuments({
    uri,
    maxPoolSize: 20,
    minPoolSize: 0,
    separateDatabases: false,
    queryMs: 60_000,
    log: silent,
  });
  onTestFinished(() => mongo.close());
  const { store: sqlite } = await openTemporaryStore();
  return { sqlite, mongo, uri };
}
