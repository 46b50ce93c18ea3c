// Commits: one write as one command, several as a transaction, or one after the other where the server has none.
import { isStoreAway, StoreError } from '../../../errors.ts';
import type { Random } from '../../../lib/back-off.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { DocumentStore, Namespace, Write } from '../../ports.ts';
import { asFailure } from '../connection/failures.ts';
import { isWithoutEffect, repeatedly } from '../connection/repeat.ts';
import type { Connection, IndexKnowledge, Scope } from '../connection/types.ts';
import { spaceKey } from '../names.ts';
import { createExplain, type Refusal } from './failures.ts';
import { writeInOrder } from './ordered.ts';
import { writeOne } from './single.ts';
import { writeInTransaction } from './transaction.ts';

interface CommitsOptions {
  readonly connection: Pick<Connection, 'run'>;
  readonly indexes: IndexKnowledge;
  readonly log: Pick<Logger, 'error'>;
  readonly random?: Random;
}

/** Nobody knows whether the writes were applied. Only what is said of a write says that they were not. */
const isInDoubt = (error: Error) => !(error instanceof StoreError) || isStoreAway(error);

const lane = () => 'write' as const;

async function applyOne(scope: Scope, write: Write, random: Random): Promise<Refusal | undefined> {
  const session = scope.session();
  const send = () => writeOne(scope, write, { session, ...scope.timeLimit() });
  try {
    await repeatedly(scope, send, { worthwhile: isWithoutEffect, random });
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
export function createCommits(options: CommitsOptions): Pick<DocumentStore, 'commit' | 'watch'> {
  const { connection, indexes, log, random = Math.random } = options;
  const explain = createExplain(indexes);
  const watchers = new Set<(changed: readonly Namespace[]) => void>();

  const tell = (writes: readonly Write[]) => {
    const changed = new Map(writes.map(({ ns }) => [spaceKey(ns), ns]));
    for (const watcher of watchers) {
      try {
        watcher([...changed.values()]);
      } catch (error) {
        log.error({ err: error }, 'a watcher of commits failed');
      }
    }
  };

  const apply = async (scope: Scope, writes: readonly Write[]): Promise<Refusal | undefined> => {
    const [write] = writes as [Write];
    if (writes.length === 1) return applyOne(scope, write, random);
    const { transactions } = scope.deployment;
    return transactions ? writeInTransaction(scope, writes, random) : writeInOrder(scope, writes, log);
  };

  /** Goes on behind an operation that has run out of time, and tells what then happens all the same. */
  const work = async (scope: Scope, writes: readonly Write[]): Promise<void> => {
    try {
      const refusal = await apply(scope, writes);
      if (refusal !== undefined) throw await explain(refusal, scope);
    } catch (error) {
      const failure = asFailure(error);
      if (isInDoubt(failure)) tell(writes);
      throw failure;
    }
    tell(writes);
  };

  return {
    async commit(writes, operation = {}) {
      if (writes.length > 0) await connection.run({ ...operation, lane }, (scope) => work(scope, writes));
    },
    watch(listener) {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
  };
}
