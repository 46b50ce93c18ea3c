// Where the indexes of a database differ from those that the specifications declare: what `cloister check --data` reports of a store.
import type { IndexDefinition, Namespace } from './ports.ts';

/** All indexes that the specifications declare for one namespace. */
export interface NamespaceIndexes {
  readonly namespace: Namespace;
  readonly indexes: readonly IndexDefinition[];
}

/** What keeps documents out of an index. */
export interface IndexObstacles {
  /** Documents that have the same key as another one, in a unique index. */
  readonly documents: number;
  /** How many different keys they have. */
  readonly values: number;
  /** Documents with lists in two fields of the index. */
  readonly parallelArrays: number;
}

export const NO_OBSTACLES: IndexObstacles = { documents: 0, values: 0, parallelArrays: 0 };

/**
 * `missing`: declared, and not there or not complete. `conflict`: declared, and what the database has keeps it from being made:
 * `explanation` says what, unless another index has its name.
 * `undeclared`: there, and no specification declares it.
 */
export interface IndexDifference {
  readonly kind: 'missing' | 'conflict' | 'undeclared';
  readonly ns: Namespace;
  readonly definition: IndexDefinition;
  readonly obstacles: IndexObstacles;
  readonly explanation?: string | undefined;
}

/** The indexes of a database server. */
export interface IndexComparison {
  /** Where they differ from the declared ones. Changes nothing. */
  compare(declared: readonly NamespaceIndexes[]): Promise<readonly IndexDifference[]>;
  close(): Promise<void>;
}
