// The store on MongoDB keeps the contract of the port, on a lone server and on a replica set.

import { openMongoDocuments } from '../../../src/stores/mongo-documents/store.ts';
import type { DocumentStore } from '../../../src/stores/ports.ts';
import { documentStoreContract } from '../../contracts/document-store.ts';
import { ELSEWHERE } from '../../contracts/store-cases.ts';
import { createDatabase, describeMongo, rawClient } from '../../helpers/store/mongo-servers.ts';

const RUNS = 40;
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

async function open(server: string) {
  const { uri, name, drop } = createDatabase(server);
  const connect = () =>
    openMongoDocuments({
      uri,
      maxPoolSize: 20,
      minPoolSize: 0,
      separateDatabases: true,
      queryMs: 20_000,
      log,
    });
  let current: DocumentStore = connect();
  return {
    store: current,
    owns: ({ database }: { database: string | null }) =>
      database === null || database === name || database === ELSEWHERE.database,
    async reopen() {
      await current.close();
      current = connect();
      return current;
    },
    async dispose() {
      await current.close();
      await drop();
      await rawClient(server).db(ELSEWHERE.database).dropDatabase();
    },
  };
}

describeMongo('MongoDB', ({ standalone, replicaSet }) => {
  documentStoreContract('A lone server', () => open(standalone), RUNS);
  documentStoreContract('A replica set', () => open(replicaSet), RUNS);
});
