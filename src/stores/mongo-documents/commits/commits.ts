// Commits writes: one as one command, several as a transaction, or in order with a rollback on a standalone server.
import { isStoreUnavailable, StoreError } from '../../../errors/errors.ts';
import type { Random } from '../../../lib/async/retry.ts';
import type { Logger } from '../../../lib/logger.ts';
import { type DocumentStore, type Namespace, namespaceKey, type Write } from '../../ports.ts';
import { explainByCollectionType } from '../connection/collection-type.ts';
import { isUnappliedWrite, retryOperation, retryRead, toStoreErrorOrDefect } from '../connection/errors.ts';
import type { IndexCache, MongoConnection, OperationScope } from '../connection/types.ts';
import type { TypeProbe } from '../query/type-probe.ts';
import { createInsertGroups } from './insert-groups.ts';
import { assertNoNonJsonDuplicates, withStoredDates } from './non-json-writes.ts';
import { writeInTransaction } from './transaction.ts';
import { writeWithoutTransaction } from './without-transaction.ts';
import { writeOne } from './write-commands.ts';
import { createWriteErrorMapper, type FailedWrite } from './write-errors.ts';

interface MongoCommitsDeps {
  readonly connection: Pick<MongoConnection, 'run'>;
  readonly indexes: IndexCache;
  readonly typeProbe: TypeProbe;
  readonly log: Pick<Logger, 'error'>;
  readonly random?: Random;
}

/** Whether the writes may have been applied: only an error about a single write says that they were not. */
const isInDoubt = (error: Error) => !(error instanceof StoreError) || isStoreUnavailable(error);

const operationClass = () => 'write' as const;

const namespacesOf = (writes: readonly Write[]): readonly Namespace[] => [
  ...new Map(writes.map(({ ns }) => [namespaceKey(ns), ns])).values(),
];

/** The most characters that a read returns: a longer document could be written but not read again. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

/**
 * Creates the `commit` and `onCommit` of the store. A rejected commit wrote nothing and names the write, with two exceptions:
 * after `timeout` or `unavailable` a single write or the commit of a transaction may have been applied without an answer,
 * and without transactions the first of several writes may stay if the server is lost in between.
 */
export function createMongoCommits(deps: MongoCommitsDeps): Pick<DocumentStore, 'commit' | 'onCommit'> {
  const { connection, indexes, typeProbe, log, random = Math.random } = deps;
  const toWriteError = createWriteErrorMapper(indexes);
  const insertWithOthers = createInsertGroups();
  const listeners = new Set<(changed: readonly Namespace[]) => void>();

  /** The whole of a commit. After a timeout it continues unobserved, and its listeners are still notified. */
  const commit = async (scope: OperationScope, writes: readonly Write[]): Promise<void> => {
    const withCollectionType = (error: unknown) => explainByCollectionType(error, scope, writes);
    try {
      assertReadable(writes);
      const prepared = await retryRead(scope, () => prepare(scope, writes), random);
      const failed = await apply(scope, prepared);
      if (failed !== undefined) {
        throw await toWriteError({ ...failed, error: await withCollectionType(failed.error) }, scope);
      }
    } catch (error) {
      const storeError = toStoreErrorOrDefect(await withCollectionType(error));
      if (isInDoubt(storeError)) notify(writes);
      throw storeError;
    }
    notify(writes);
  };

  /** Adapts the writes to values of non-JSON types in their collections. Only reads. */
  const prepare = async (scope: OperationScope, writes: readonly Write[]): Promise<readonly Write[]> => {
    const withDates = await withStoredDates(scope, writes, typeProbe);
    await assertNoNonJsonDuplicates(scope, writes, { indexes, typeProbe });
    return withDates;
  };

  /** Resolves with the write that failed, if any. */
  const apply = async (scope: OperationScope, writes: readonly Write[]): Promise<FailedWrite | undefined> => {
    const [write] = writes as [Write];
    if (writes.length === 1) return applyOne(scope, write);
    if (scope.deployment.transactions) return writeInTransaction(scope, writes, random);
    return writeWithoutTransaction(scope, writes, log);
  };

  const applyOne = async (scope: OperationScope, write: Write): Promise<FailedWrite | undefined> => {
    try {
      if (write.kind === 'insert' && (await insertWithOthers(scope, write))) return undefined;
    } catch (error) {
      return { error, write, index: 0 };
    }
    return applyAlone(scope, write, random);
  };

  const notify = (writes: readonly Write[]) => {
    const changed = namespacesOf(writes);
    for (const listener of listeners) {
      try {
        listener(changed);
      } catch (error) {
        log.error({ err: error }, 'commit listener threw');
      }
    }
  };

  return {
    async commit(writes, options = {}) {
      if (writes.length === 0) return;
      await connection.run({ ...options, operationClass }, (scope) => commit(scope, writes));
    },
    onCommit(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function assertReadable(writes: readonly Write[]): void {
  for (const [index, write] of writes.entries()) {
    if (write.kind === 'remove') continue;
    const { length } = write.text ?? JSON.stringify(write.document);
    if (length > MAX_CHARACTERS) throw new StoreError('too-large', { index });
  }
}

/** Sends a write that is a commit by itself, as a command of its own. */
async function applyAlone(
  scope: OperationScope,
  write: Write,
  random: Random,
): Promise<FailedWrite | undefined> {
  const session = scope.session();
  const send = () => writeOne(scope, write, { session, ...scope.timeLimit() });
  try {
    await retryOperation(scope, send, { isRetryable: isUnappliedWrite, random });
  } catch (error) {
    return { error, write, index: 0 };
  }
  scope.acknowledged(session);
  return undefined;
}
