// A database of MongoDB beside the configured one, from which an import reads.
import type { Logger } from '../../lib/logger.ts';
import type { DocumentStore } from '../ports.ts';
import { isEmbeddedDatabase } from './document-store.ts';

interface ForeignDatabaseOptions {
  readonly uri: string;
  /** Time limit of an operation without a deadline, in milliseconds. */
  readonly queryMs: number;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

interface TargetDatabase {
  readonly engine: 'sqlite' | 'mongodb';
  readonly enableCollectionDatabases: boolean;
  readonly mongodb: { readonly uri?: string | undefined };
}

export interface ForeignDatabase {
  readonly store: DocumentStore;
  /** Its name; undefined where the connection string has none. */
  readonly name: string | undefined;
  /** Whether documents that are read from it would be written to it. */
  isTarget(database: TargetDatabase): Promise<boolean>;
}

/** One operation at a time: few connections do. */
const POOL = { maxPoolSize: 6, minPoolSize: 0 };

/** True for a connection string. */
export const isConnectionString = (text: string): boolean => /^mongodb(?:\+srv)?:\/\//.test(text);

/** Opens the database without waiting for the server. Throws CONFIGURATION_INVALID for a connection string that cannot be read. */
export async function openForeignDatabase({
  uri,
  queryMs,
  log,
}: ForeignDatabaseOptions): Promise<ForeignDatabase> {
  // Imported on demand: the driver takes long to load.
  const { openMongoDocuments } = await import('../mongo-documents/store.ts');
  const { readCollectionIds } = await import('../mongo-documents/collection-ids.ts');
  const { databaseOfConnectionString } = await import('../mongo-documents/connection/connection-string.ts');
  const common = { ...POOL, queryMs, log };
  const options = { ...common, uri, separateDatabases: false };
  const store = openMongoDocuments(options);
  const name = databaseOfConnectionString(uri);
  return {
    store,
    name,
    async isTarget({ engine, enableCollectionDatabases, mongodb }) {
      if (isEmbeddedDatabase({ engine }) || mongodb.uri === undefined) return false;
      const target = { ...common, uri: mongodb.uri, separateDatabases: enableCollectionDatabases };
      const [own, theirs] = await Promise.all([
        readCollectionIds(options, null),
        readCollectionIds(target, enableCollectionDatabases ? (name ?? null) : null),
      ]);
      return [...own].some((id) => theirs.has(id));
    },
  };
}
