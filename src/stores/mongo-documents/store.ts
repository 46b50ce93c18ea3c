// The document store on MongoDB: this is where MongoDB begins, and nothing outside this folder knows of it.
import type { DocumentStore } from '../ports.ts';
import { createCommits } from './commits/commits.ts';
import { createConnection } from './connection/connection.ts';
import type { MongoOptions } from './connection/types.ts';
import { createReads } from './finding/find.ts';
import { createIndexing } from './indexes/indexing.ts';
import { createSurvey } from './survey.ts';
import { createValueKinds } from './value-kinds.ts';

/** Opens the store without waiting for the server. Throws CONFIGURATION_INVALID for a connection string that cannot be read. */
export function openMongoDocuments(options: MongoOptions): DocumentStore {
  const { log, separateDatabases, hasRoom = () => true } = options;
  const connection = createConnection(options);
  const { ensureIndexes, knowledge, close } = createIndexing({ connection, log });
  const kinds = createValueKinds(() => performance.now());
  return {
    ...createReads({ connection, indexes: knowledge, hasRoom, kinds }),
    ...createCommits({ connection, indexes: knowledge, kinds, log }),
    ...createSurvey({ connection, indexes: knowledge, separateDatabases }),
    ensureIndexes,
    health: () => connection.health(),
    async close() {
      await close();
      await connection.close();
    },
  };
}
