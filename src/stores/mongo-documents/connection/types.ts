// What the parts of the MongoDB store share: access to the server, and what is known of its indexes. Types only.
import type { ClientSession, Collection, Db, Document, MongoClient, ReadConcernLike } from 'mongodb';
import type { Logger } from '../../../lib/logger.ts';
import type { IndexDefinition, Namespace, OperationOptions } from '../../ports.ts';
import type { OperationClass } from './operation-slots.ts';

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
  /** Whether a long page of so many bytes may be read now; any may unless given. */
  readonly hasMemoryFor?: (bytes: number) => boolean;
}

/** What kind of server answers. */
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
  /** Milliseconds until the deadline, 1 at least: what `maxTimeMS` takes. Undefined without one. */
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
  /** The lane that the work waits in, asked once more when its turn has come: `lookup` unless given. */
  readonly operationClass?: () => OperationClass;
}

export interface MongoConnection {
  /**
   * Does `work` on a connected client, in turn: past the deadline before its turn, it is never begun. What the driver
   * throws arrives as a StoreError: `unavailable` where the server cannot be reached, `timeout` at the deadline at the
   * latest, even when the driver still waits (it is not known then what became of a write that was sent). The deadline
   * is that of the store's options where none is given; Infinity is none: such work takes no turn, and `close` does
   * not wait for it. `work` never calls `run`: it would wait for a turn while it has one.
   * It is told the lane that it came by.
   */
  run<T>(
    options: RunOptions,
    work: (scope: OperationScope, operationClass: OperationClass) => Promise<T>,
  ): Promise<T>;
  /** Resolves when the server answers, rejects with `unavailable`; quickly either way. */
  health(): Promise<void>;
  /**
   * The databases that may hold documents, each by the name that name spaces call it: null for that of the connection
   * string, which its own name does not stand for again.
   */
  databases(scope: OperationScope): Promise<readonly (string | null)[]>;
  /** Lets what is in flight end, then closes. Idempotent. */
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
  /** The twin that finds text whatever its case, once it is built: same keys, compared by `FOLDING`. */
  readonly hasReadyShadow: boolean;
  /** The name of that twin in the database, built or not; absent where it has none. */
  readonly shadow?: string;
}

/** What a process knows of the indexes of a name space, from its own `ensureIndexes`; nothing until that has run. */
export interface IndexCache {
  of(ns: Namespace): readonly KnownIndex[];
}
