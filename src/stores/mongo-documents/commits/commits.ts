// Commits: one write as one command, several as a transaction, or one after the other where the server has none.
import { isStoreUnavailable, StoreError } from '../../../errors.ts';
import type { Random } from '../../../lib/async/back-off.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { DocumentStore, Namespace, Write } from '../../ports.ts';
import { explainByCollectionType } from '../connection/collection-type.ts';
import { toStoreErrorOrDefect } from '../connection/errors.ts';
import { namespaceKey } from '../connection/namespaces.ts';
import { isUnappliedWrite, retry, retryRead } from '../connection/retry.ts';
import type { IndexCache, MongoConnection, OperationScope } from '../connection/types.ts';
import type { TypeProbe } from '../query/type-probe.ts';
import { assertNoNonJsonDuplicates } from './non-json-duplicates.ts';
import { writeOne } from './single-write.ts';
import { withStoredDates } from './stored-dates.ts';
import { writeInTransaction } from './transaction.ts';
import { writeWithoutTransaction } from './without-transaction.ts';
import { createWriteErrorMapper, type FailedWrite } from './write-errors.ts';

interface MongoCommitsDeps {
  readonly connection: Pick<MongoConnection, 'run'>;
  readonly indexes: IndexCache;
  readonly typeProbe: TypeProbe;
  readonly log: Pick<Logger, 'error'>;
  readonly random?: Random;
}

/** Nobody knows whether the writes were applied. Only what is said of a write says that they were not. */
const isInDoubt = (error: Error) => !(error instanceof StoreError) || isStoreUnavailable(error);

const operationClass = () => 'write' as const;

const namespacesOf = (writes: readonly Write[]): readonly Namespace[] => [
  ...new Map(writes.map(({ ns }) => [namespaceKey(ns), ns])).values(),
];

/** What a read returns at the most: a document with more characters could not be read again. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

function assertReadable(writes: readonly Write[]): void {
  for (const [index, write] of writes.entries()) {
    if (write.kind === 'remove') continue;
    const { length } = write.text ?? JSON.stringify(write.document);
    if (length > MAX_CHARACTERS) throw new StoreError('too-large', { index });
  }
}

async function applyOne(
  scope: OperationScope,
  write: Write,
  random: Random,
): Promise<FailedWrite | undefined> {
  const session = scope.session();
  const send = () => writeOne(scope, write, { session, ...scope.timeLimit() });
  try {
    await retry(scope, send, { isRetryable: isUnappliedWrite, random });
  } catch (error) {
    return { error, write, index: 0 };
  }
  scope.acknowledged(session);
  return undefined;
}

/**
 * Rejections name the write that was refused; nothing is written then. `timeout` and `unavailable` say less: a single
 * write, or the end of a transaction, may have been applied although its answer did not come in time, and without
 * transactions the first of several writes may stay behind when the server is lost in between.
 */
export function createMongoCommits(options: MongoCommitsDeps): Pick<DocumentStore, 'commit' | 'watch'> {
  const { connection, indexes, typeProbe, log, random = Math.random } = options;
  const explain = createWriteErrorMapper(indexes);
  const watchers = new Set<(changed: readonly Namespace[]) => void>();

  const tell = (writes: readonly Write[]) => {
    const changed = namespacesOf(writes);
    for (const watcher of watchers) {
      try {
        watcher(changed);
      } catch (error) {
        log.error({ err: error }, 'a watcher of commits failed');
      }
    }
  };

  const apply = async (scope: OperationScope, writes: readonly Write[]): Promise<FailedWrite | undefined> => {
    const [write] = writes as [Write];
    if (writes.length === 1) return applyOne(scope, write, random);
    const { transactions } = scope.deployment;
    return transactions
      ? writeInTransaction(scope, writes, random)
      : writeWithoutTransaction(scope, writes, log);
  };

  /** The writes as the collections have such values. Nothing is written yet. */
  const prepare = async (scope: OperationScope, writes: readonly Write[]): Promise<readonly Write[]> => {
    const dated = await withStoredDates(scope, writes, typeProbe);
    await assertNoNonJsonDuplicates(scope, writes, { indexes, typeProbe });
    return dated;
  };

  /** Goes on behind an operation that has run out of time, and tells what then happens all the same. */
  const work = async (scope: OperationScope, writes: readonly Write[]): Promise<void> => {
    const byKind = (error: unknown) => explainByCollectionType(error, scope, writes);
    try {
      assertReadable(writes);
      const prepared = await retryRead(scope, () => prepare(scope, writes), random);
      const refusal = await apply(scope, prepared);
      if (refusal !== undefined)
        throw await explain({ ...refusal, error: await byKind(refusal.error) }, scope);
    } catch (error) {
      const failure = toStoreErrorOrDefect(await byKind(error));
      if (isInDoubt(failure)) tell(writes);
      throw failure;
    }
    tell(writes);
  };

  return {
    async commit(writes, operation = {}) {
      if (writes.length > 0)
        await connection.run({ ...operation, operationClass: operationClass }, (scope) =>
          work(scope, writes),
        );
    },
    watch(listener) {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
  };
}
