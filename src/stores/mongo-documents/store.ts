// The document store on MongoDB. Nothing outside this folder depends on MongoDB.
import type { DocumentStore } from '../ports.ts';
import { createCollectionStats } from './collection-stats.ts';
import { createEndWorkOf } from './commits/abandoned-transactions.ts';
import { createMongoCommits } from './commits/commits.ts';
import { createConnection } from './connection/connection.ts';
import type { MongoOptions } from './connection/types.ts';
import { createIndexMigrator } from './indexes/index-migrator.ts';
import { createReads } from './query/reads.ts';
import { createTypeProbe } from './query/type-probe.ts';

/** Opens the store without waiting for the server. Throws CONFIGURATION_INVALID for a connection string that cannot be read. */
export function openMongoDocuments(options: MongoOptions): DocumentStore {
  const { log, separateDatabases, hasMemoryFor: hasMemory = () => true } = options;
  const connection = createConnection(options);
  const { ensureIndexes, cache: knowledge, close } = createIndexMigrator({ connection });
  const typeProbe = createTypeProbe(() => performance.now());
  return {
    ...createReads({ connection, indexes: knowledge, hasMemoryFor: hasMemory, typeProbe }),
    ...createMongoCommits({ connection, indexes: knowledge, typeProbe, log }),
    ...createCollectionStats({ connection, indexes: knowledge, separateDatabases }),
    ensureIndexes,
    endWorkOf: createEndWorkOf(connection),
    health: () => connection.health(),
    async close() {
      await close();
      await connection.close();
    },
  };
}
