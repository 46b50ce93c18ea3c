// The index commands of MongoDB, with their errors as StoreErrors.
import { type Document, MongoServerError } from 'mongodb';
import { StoreError } from '../../../errors/errors.ts';
import type { Namespace } from '../../ports.ts';
import { readCollectionType } from '../connection/collection-type.ts';
import { driverErrorToStoreError, sanitizedCause } from '../connection/errors.ts';
import type { OperationScope } from '../connection/types.ts';
import { type IndexSpec, parseFoundIndex, type ServerIndex, toIndexCommand } from './index-spec.ts';

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
    await scope.database(ns.database).command(command);
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
