// Types shared by the MongoDB store: connection, operation scope, and known indexes.
import type { ClientSession, Collection, Db, Document, MongoClient, ReadConcernLike } from 'mongodb';
import type { Logger } from '../../../lib/logger.ts';
import type { IndexDefinition, Namespace, OperationOptions } from '../../ports.ts';
import type { OperationClass } from './operation-slots.ts';

export interface MongoOptions {
  /** Connection string. Never logged, never part of an error. */
  readonly uri: string;
  /** Id of this process, by which others find what it leaves under way. Default: none. */
  readonly owner?: string | undefined;
  readonly maxPoolSize: number;
  readonly minPoolSize: number;
  /** Namespaces with a `database` lie in the database of that name. */
  readonly separateDatabases: boolean;
  /** Time limit of an operation without a deadline, in milliseconds. */
  readonly queryMs: number;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Whether a long page of so many bytes may be read now. Default: always. */
  readonly hasMemoryFor?: (bytes: number) => boolean;
}

/** The kind of deployment. */
export interface Deployment {
  readonly kind: 'standalone' | 'replica set' | 'sharded';
  /** Several writes can be one transaction. */
  readonly transactions: boolean;
}

/** What one operation works with. What leads to the server throws a `timeout` StoreError once time is up. */
export interface OperationScope {
  readonly client: MongoClient;
  readonly deployment: Deployment;
  /**
   * Reads go to the primary and see what the majority has (`readConcern: "majority"`, on a lone server too), writes wait
   * for the majority and the journal.
   */
  collection(ns: Namespace): Collection<Document>;
  /** Null: the database of the connection string. */
  database(name: string | null): Db;
  /** Milliseconds until the deadline, at least 1, as `maxTimeMS` takes them. Undefined without a deadline. */
  remainingMs(): number | undefined;
  /** The same as the part of a command or of its options that bounds it; nothing without a deadline. */
  timeLimit(): { readonly maxTimeMS?: number };
  /** Opens a session that ends with the operation. Reads in it see every write that was acknowledged before. */
  session(): ClientSession;
  /** What a read without a session must ask for, to see the same. */
  readConcern(): Document;
  /** The same for reads by the driver's own methods, with a session for one of them at a time. */
  readOptions(): { readonly session: ClientSession; readonly readConcern: ReadConcernLike };
  /** Takes the session of writes that are acknowledged: reads from now on see them, whichever server answers. */
  acknowledged(session: ClientSession): void;
}

interface RunOptions extends OperationOptions {
  /** The operation class of the work, evaluated again once it has a slot. Default: `lookup`. */
  readonly operationClass?: () => OperationClass;
}

export interface MongoConnection {
  /**
   * Runs `work` on a connected client once its operation class has a slot, and passes it the class. Work that is still
   * waiting at the deadline is never started. Driver errors arrive as StoreErrors: `unavailable` if the server cannot be
   * reached, `timeout` at the deadline at the latest, even while the driver still waits (a write that was sent may then
   * have been applied). Without a deadline that of the store's options holds; Infinity is none: such work takes no slot,
   * and `close` does not wait for it. `work` must not call `run`: it would wait for a slot while it has one.
   */
  run<T>(
    options: RunOptions,
    work: (scope: OperationScope, operationClass: OperationClass) => Promise<T>,
  ): Promise<T>;
  /** Resolves when the server answers, rejects with `unavailable`; quickly either way. */
  health(): Promise<void>;
  /**
   * The databases that may hold documents, as namespaces name them: null for that of the connection string, which is not
   * listed again by its name.
   */
  databases(scope: OperationScope): Promise<readonly (string | null)[]>;
  /** Waits for running operations, then closes. Idempotent. */
  close(): Promise<void>;
}

/** A declared index as it really is in the database. */
export interface KnownIndex {
  readonly definition: IndexDefinition;
  /** Its name in the database. */
  readonly name: string;
  /** It ends in `_id`, so that it serves a sort with its ties. */
  readonly endsInId: boolean;
  /** No two documents are equal in it: a unique one that leaves no document out. */
  readonly isUnique: boolean;
}

/** The indexes of a namespace as this process declared them; empty until its `ensureIndexes` has run. */
export interface IndexCache {
  of(ns: Namespace): readonly KnownIndex[];
}
