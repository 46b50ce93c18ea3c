// What the rest of the server sees of the other processes on its database: what changed elsewhere, changes that only one process
// makes at a time, whether this process knows the state of the others, and calls that count for all. Types only: `deployment.ts`
// and `limits/` implement it.

import type { MaybePromise } from '../lib/async/maybe-promise.ts';

/**
 * What a change is about. `module-order`: an operator has given an order; `workspace`: a command has written texts of a workspace in
 * the database; `process`: one ended without leaving.
 */
export type ChangeKind =
  | 'client'
  | 'module'
  | 'module-order'
  | 'specification'
  | 'route'
  | 'recipe'
  | 'workspace'
  | 'responses'
  | 'variants'
  | 'process'
  | 'joined'
  | 'cache-away';

export interface Change {
  readonly kind: ChangeKind;
  /** The path of a collection, the key of a module, the id of a client: what the listeners of the kind understand. */
  readonly target: string;
}

/**
 * Brings a change of another process into force here. `target` undefined: anything of the kind may have changed. Rejects with
 * the store's StoreError: then it is called again.
 */
export type ChangeListener = (target: string | undefined) => Promise<void>;

/** Whether one more call of a module is within so many a minute, at least 1; then it is counted. Never rejects. */
export type CountCall = (moduleId: string, perMinute: number) => MaybePromise<boolean>;

export interface Coordination {
  /** Registers what is to be done about changes of a kind that other processes announce. */
  onChange(kind: ChangeKind, listener: ChangeListener): void;
  /**
   * Tells the other processes of a change that is stored. Resolves when that is stored too; while the database is away it is
   * repeated in the background. Never rejects.
   */
  announce(change: Change): Promise<void>;
  /**
   * Runs a change that no other process runs under the same name meanwhile, once everything that others have announced is in
   * force here. Tasks of this process with the same name run one after the other. Rejects with a `busy` StoreError where another
   * process takes too long.
   */
  exclusively<T>(name: string, task: () => Promise<T>): Promise<T>;
  /**
   * Resolves when what this process has announced is in force in all others, or they are cut off for so long that they do
   * nothing any more that depends on it.
   */
  inForceEverywhere(): Promise<void>;
  /** False while this process may not know what the others have changed. */
  isConfirmed(): boolean;
  /** True where nobody else serves the same database, so that what is written here alone is all that is written. */
  isAlone(): boolean;
}
