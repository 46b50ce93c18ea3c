// Types of collections that other programs may create (views, time series, capped), and the writes they do not support.
import { MongoError } from 'mongodb';
import { StoreError } from '../../../errors/errors.ts';
import { type Namespace, namespaceKey, type Write } from '../../ports.ts';
import { hasReason } from './errors.ts';
import type { OperationScope } from './types.ts';

/** Any but `plain` takes only some writes. Clustered collections take them all, and are plain. */
export type CollectionType = 'plain' | 'capped' | 'view' | 'time-series';

/** An entry of the server's list of collections. */
interface CollectionEntry {
  readonly type?: string;
  readonly options?: { readonly capped?: unknown };
}

/** Reads the kind in one entry of the server's list. */
export function parseCollectionType({ type, options }: CollectionEntry): CollectionType {
  if (type === 'view') return 'view';
  if (type === 'timeseries') return 'time-series';
  return options?.capped === true ? 'capped' : 'plain';
}

/** Asks the server which kind a collection is. One that is not there yet is plain. */
export async function readCollectionType(scope: OperationScope, ns: Namespace): Promise<CollectionType> {
  const { collectionName } = scope.collection(ns);
  const [entry] = await scope
    .database(ns.database)
    .listCollections({ name: collectionName }, { ...scope.timeLimit() })
    .toArray();
  return entry === undefined ? 'plain' : parseCollectionType(entry);
}

const UNSUPPORTED_WRITES: Readonly<Record<Exclude<CollectionType, 'plain'>, string>> = {
  view: 'a view of the database: it can be read, and takes no writes',
  'time-series': 'a time-series collection: it can be read, and its documents cannot be written here',
  capped:
    'a capped collection, which takes no part in transactions: its documents can be written one at a time only, and without revisions',
};

/** The message for a write that the type of the collection does not support; undefined if it supports all. */
export function unsupportedWriteMessage(kind: CollectionType, { collection }: Namespace): string | undefined {
  return kind === 'plain' ? undefined : `\`${collection}\` is ${UNSUPPORTED_WRITES[kind]}`;
}

/** UserNotFound, CursorNotFound, QueryPlanKilled, KeyNotFound: as little about the type of a collection as those with a reason. */
const UNRELATED_CODES: ReadonlySet<unknown> = new Set([11, 43, 175, 211]);
const COMMAND_NOT_SUPPORTED_ON_VIEW = 166;

const isUnrelated = (code: unknown) =>
  UNRELATED_CODES.has(code) || (hasReason(code) && code !== COMMAND_NOT_SUPPORTED_ON_VIEW);

/**
 * Turns a rejected write to a collection that is not plain into a `refused` with an explanation; returns other errors
 * unchanged.
 */
export async function explainByCollectionType(
  error: unknown,
  scope: OperationScope,
  writes: readonly Write[],
): Promise<unknown> {
  const code: unknown = error instanceof MongoError ? error.code : undefined;
  if (!(error instanceof MongoError) || isUnrelated(code)) return error;
  // Errors of a lost connection have no code; neither has the driver's own message about retryable writes.
  if (code === undefined && !/retryable writes/.test(error.message)) return error;
  const first = new Map<string, number>();
  for (const [index, { ns }] of writes.entries()) {
    if (!first.has(namespaceKey(ns))) first.set(namespaceKey(ns), index);
  }
  for (const index of first.values()) {
    const { ns } = writes[index] as Write;
    const explanation = unsupportedWriteMessage(
      await readCollectionType(scope, ns).catch(() => 'plain' as const),
      ns,
    );
    if (explanation !== undefined) return new StoreError('refused', { index, explanation });
  }
  return error;
}
