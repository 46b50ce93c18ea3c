// What a process of a deployment is told, and what it tells of the others. Types only.
import type { Log } from '../lib/logger.ts';
import type { DocumentStore } from '../stores/ports.ts';
import type { ProcessRecord } from './process-records.ts';

export interface DeploymentOptions {
  readonly store: Pick<DocumentStore, 'find' | 'commit' | 'endWorkOf'>;
  /** True where no other process serves this database: it is locked. Commands may still change it. */
  readonly isSole: boolean;
  /** True where no other process serves it at the start: all records there are of processes that have ended. Default: `isSole`. */
  readonly startsAlone?: boolean;
  /** Id of this process: that of a document. */
  readonly id: string;
  /** Name of the machine, address of the content API and version of the package, for the status. */
  readonly identity: Pick<ProcessRecord, 'host' | 'address' | 'version'>;
  /** Settings that all processes must share; undefined for values that they share by themselves. */
  readonly settings: Readonly<Record<string, string | undefined>>;
  /** The key of the hashes by which settings are compared: the same in all processes. */
  readonly fingerprintKey: () => Promise<string>;
  /** Bound of one call of the database, in milliseconds. */
  readonly timeoutMs: number;
  readonly log: Pick<Log, 'warn' | 'info' | 'error'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Milliseconds of a steady clock. */
  readonly clock: () => number;
}

/** What the status shows of a process. */
export interface ProcessStatus
  extends Pick<ProcessRecord, 'id' | 'host' | 'pid' | 'address' | 'version' | 'since' | 'lastSeen'> {
  /** Number of the newest change that it has in force. */
  readonly changes: number;
  readonly isSelf: boolean;
}
