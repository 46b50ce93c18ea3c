// The document store on MongoDB: this is where MongoDB begins, and nothing outside this folder knows of it.
import { StoreError } from '../../errors.ts';
import type { Logger } from '../../lib/logger.ts';
import type { DocumentStore } from '../ports.ts';

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
export function openMongoDocuments(_options: MongoOptions): DocumentStore {
  throw new StoreError('unavailable');
}
