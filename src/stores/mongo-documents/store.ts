// The document store on MongoDB: this is where MongoDB begins, and nothing outside this folder knows of it.
import type { Logger } from '../../lib/logger.ts';
import type { DocumentStore } from '../ports.ts';
import { createCommits } from './commits.ts';
import { createConnection } from './connection.ts';
import { createReads } from './find.ts';
import { createIndexing } from './indexing.ts';
import { createSurvey } from './survey.ts';

export interface MongoOptions {
  /** Connection string. Never logged, never part of an error. */
  readonly uri: string;
  readonly maxPoolSize: number;
  readonly minPoolSize: number;
  /** Name spaces with a `database` are databases of that name. */
  readonly separateDatabases: boolean;
  /** Bound of one operation that comes without a deadline, in milliseconds. */
  readonly queryMs: number;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** Opens the store without waiting for the server. Throws CONFIGURATION_INVALID for a connection string that cannot be read. */
export function openMongoDocuments(options: MongoOptions): DocumentStore {
  const { log, separateDatabases } = options;
  const connection = createConnection(options);
  const { ensureIndexes, knowledge, close } = createIndexing({ connection, log });
  return {
    ...createReads({ connection, indexes: knowledge }),
    ...createCommits({ connection, indexes: knowledge, log }),
    ...createSurvey({ connection, indexes: knowledge, separateDatabases }),
    ensureIndexes,
    health: () => connection.health(),
    async close() {
      await close();
      await connection.close();
    },
  };
}
