// The indexes of a collection in the database: the commands, with their errors as StoreErrors, and the record of which indexes
// this server created, so that it never drops those of others. One document per collection.

import { createHash } from 'node:crypto';
import { type Document, MongoServerError, ObjectId } from 'mongodb';
import { StoreError } from '../../../errors/errors.ts';
import type { Namespace } from '../../ports.ts';
import { readCollectionType } from '../connection/collection-type.ts';
import { driverErrorToStoreError, sanitizedCause } from '../connection/errors.ts';
import type { OperationScope } from '../connection/types.ts';
import {
  type IndexSpec,
  isSameIndex,
  parseFoundIndex,
  type ServerIndex,
  toIndexCommand,
} from './migration-plan.ts';

// https://github.com/mongodb/mongo/blob/r6.0.5/src/mongo/base/error_codes.yml
const NAMESPACE_NOT_FOUND = 26;
/** Also of an index that is being built together with others. */
const INDEX_NOT_FOUND = 27;
const BACKGROUND_OPERATION = [12_586, 12_587];
const INDEX_BUILD_ABORTED = 276;
/**
 * Errors of an index that cannot be created whatever the data: it conflicts with another index, a view or a limit.
 */
const CONFLICT_CODES: ReadonlySet<unknown> = new Set([
  2, // BadValue
  20, // IllegalOperation
  67, // CannotCreateIndex
  72, // InvalidOptions
  73, // InvalidNamespace
  85, // IndexOptionsConflict
  86, // IndexKeySpecsConflict
  115, // CommandNotSupported
  166, // CommandNotSupportedOnView
  197, // InvalidIndexSpecificationOption
]);

const codeOf = (error: unknown) => (error instanceof MongoServerError ? error.code : undefined);

function indexError(error: unknown): StoreError {
  const code = codeOf(error);
  if (CONFLICT_CODES.has(code)) return new StoreError('index-conflict', { cause: sanitizedCause(error) });
  if (code === INDEX_BUILD_ABORTED) return new StoreError('busy', { cause: sanitizedCause(error) });
  return driverErrorToStoreError(error);
}

const COMMAND_NOT_SUPPORTED_ON_VIEW = 166;

/** The error for a collection that cannot have indexes. */
function notIndexableError({ collection }: Namespace, kind: string): StoreError {
  const explanation = `\`${collection}\` is a ${kind} of the database, on which no index of a specification can be made`;
  return new StoreError('index-conflict', { explanation, cause: new Error(explanation) });
}

/**
 * The indexes of a collection, including those being built, without that of `_id`. None if the collection is missing.
 * Rejects with `index-conflict` for a view or a time-series collection.
 */
export async function listIndexes(scope: OperationScope, ns: Namespace): Promise<readonly ServerIndex[]> {
  try {
    const entries: Document[] = await scope
      .collection(ns)
      .listIndexes({ ...scope.timeLimit() })
      .toArray();
    const found = entries.map(parseFoundIndex);
    const others = found.filter(({ name }) => name !== '_id_');
    // Any collection but these has an index of `_id`, and the server takes no bounds of their indexes.
    if (found.length === others.length && (await readCollectionType(scope, ns)) === 'time-series') {
      throw notIndexableError(ns, 'time-series collection');
    }
    return others;
  } catch (error) {
    if (error instanceof StoreError) throw error;
    if (codeOf(error) === NAMESPACE_NOT_FOUND) return [];
    if (codeOf(error) === COMMAND_NOT_SUPPORTED_ON_VIEW) throw notIndexableError(ns, 'view');
    throw indexError(error);
  }
}

/**
 * Resolves once all of `specs` are in force: creates missing ones, waits for those that are being built.
 * Rejects, with none of them made (on a sharded cluster perhaps some), with `duplicate`, `parallel-arrays` or `index-conflict`.
 */
export async function createIndexes(
  scope: OperationScope,
  ns: Namespace,
  specs: readonly IndexSpec[],
): Promise<void> {
  if (specs.length === 0) return;
  // The default waits for every member, also for one that is away.
  const quorum = scope.deployment.kind === 'standalone' ? {} : { commitQuorum: 'majority' };
  const command = {
    createIndexes: ns.collection,
    indexes: specs.map(toIndexCommand),
    ...quorum,
    writeConcern: { w: 'majority' },
  };
  try {
    // The error of a duplicate quotes the key, whose text need not be valid UTF-8.
    await scope.database(ns.database).command(command, { enableUtf8Validation: false });
  } catch (error) {
    throw indexError(error);
  }
}

/** Drops an index, if it is still there. False while it is being built in a way that cannot be stopped. */
export async function dropIndex(scope: OperationScope, ns: Namespace, name: string): Promise<boolean> {
  const command = { dropIndexes: ns.collection, index: name, writeConcern: { w: 'majority' } };
  try {
    await scope.database(ns.database).command({ ...command, ...scope.timeLimit() });
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === NAMESPACE_NOT_FOUND) return true;
    if (BACKGROUND_OPERATION.some((other) => other === code)) return false;
    if (code !== INDEX_NOT_FOUND) throw indexError(error);
  }
  const left = await listIndexes(scope, ns);
  return !left.some((index) => index.name === name);
}

/** Where the records lie, in the database of the connection string. */
export const INDEX_RECORDS: Namespace = { database: null, collection: 'cloister.indexes' };

const DUPLICATE_KEY = 11_000;

function idOf({ database, collection }: Namespace): ObjectId {
  const digest = createHash('sha256')
    .update(JSON.stringify([database, collection]))
    .digest('hex');
  return new ObjectId(digest.slice(0, 24));
}

const storedSpec = ({ name, keys, unique, sparse }: IndexSpec): IndexSpec => ({
  name,
  keys,
  unique,
  sparse,
});

function isSpec(value: unknown): value is IndexSpec {
  if (typeof value !== 'object' || value === null) return false;
  const { name, keys } = value as { readonly name?: unknown; readonly keys?: unknown };
  return typeof name === 'string' && Array.isArray(keys);
}

/** Resolves with the test whether this server created an index and the index is unchanged. */
export async function readOwnership(
  scope: OperationScope,
  ns: Namespace,
): Promise<(index: ServerIndex) => boolean> {
  const found = await scope.collection(INDEX_RECORDS).findOne({ _id: idOf(ns) });
  const recorded: unknown = found?.['indexes'];
  const specs = Array.isArray(recorded) ? recorded.filter(isSpec) : [];
  const byName = Map.groupBy(specs, ({ name }) => name);
  return (index) =>
    index.isBare && (byName.get(index.name)?.some((spec) => isSameIndex(spec, index)) ?? false);
}

/** Records these indexes as own. Called before they are built, so that a crash leaves no unrecorded index. */
export async function addRecords(
  scope: OperationScope,
  ns: Namespace,
  specs: readonly IndexSpec[],
): Promise<void> {
  if (specs.length === 0) return;
  const change = {
    $setOnInsert: { database: ns.database, collection: ns.collection },
    $addToSet: { indexes: { $each: specs.map(storedSpec) } },
  };
  const write = () => scope.collection(INDEX_RECORDS).updateOne({ _id: idOf(ns) }, change, { upsert: true });
  try {
    await write();
  } catch (error) {
    // Another process made the document at the same moment.
    if ((error as { readonly code?: unknown }).code !== DUPLICATE_KEY) throw error;
    await write();
  }
}

/** Forgets indexes that are gone. */
export async function removeRecords(
  scope: OperationScope,
  ns: Namespace,
  specs: readonly IndexSpec[],
): Promise<void> {
  if (specs.length === 0) return;
  const change = { $pullAll: { indexes: specs.map(storedSpec) } };
  await scope.collection(INDEX_RECORDS).updateOne({ _id: idOf(ns) }, change as object);
}
