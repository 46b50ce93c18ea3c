// Commits: one write as one command, several as a transaction, or one after the other where the server has none.
import { isStoreAway, StoreError } from '../../../errors.ts';
import type { Random } from '../../../lib/back-off.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { DocumentStore, Namespace, Write } from '../../ports.ts';
import { asFailure } from '../connection/failures.ts';
import { isWithoutEffect, repeatedly, repeatedRead } from '../connection/repeat.ts';
import type { Connection, IndexKnowledge, Scope } from '../connection/types.ts';
import { explainByKind } from '../kinds.ts';
import { spaceKey } from '../names.ts';
import type { ValueKinds } from '../value-kinds.ts';
import { withStoredDates } from './dates.ts';
import { createExplain, type Refusal } from './failures.ts';
import { refuseForeignDuplicates } from './foreign-duplicates.ts';
import { writeInOrder } from './ordered.ts';
import { writeOne } from './single.ts';
import { writeInTransaction } from './transaction.ts';

interface CommitsOptions {
  readonly connection: Pick<Connection, 'run'>;
  readonly indexes: IndexKnowledge;
  readonly kinds: ValueKinds;
  readonly log: Pick<Logger, 'error'>;
  readonly random?: Random;
}

/** Nobody knows whether the writes were applied. Only what is said of a write says that they were not. */
const isInDoubt = (error: Error) => !(error instanceof StoreError) || isStoreAway(error);

const lane = () => 'write' as const;

const namespacesOf = (writes: readonly Write[]): readonly Namespace[] => [
  ...new Map(writes.map(({ ns }) => [spaceKey(ns), ns])).values(),
];

/** What a read returns at the most: a document with more characters could not be read again. */
const MOST_CHARACTERS = 64 * 1024 * 1024;

function refuseUnreadable(writes: readonly Write[]): void {
  for (const [index, write] of writes.entries()) {
    if (write.kind === 'remove') continue;
    const { length } = write.text ?? JSON.stringify(write.document);
    if (length > MOST_CHARACTERS) throw new StoreError('too-large', { index });
  }
}

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
  const { connection, indexes, kinds, log, random = Math.random } = options;
  const explain = createExplain(indexes);
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

  const apply = async (scope: Scope, writes: readonly Write[]): Promise<Refusal | undefined> => {
    const [write] = writes as [Write];
    if (writes.length === 1) return applyOne(scope, write, random);
    const { transactions } = scope.deployment;
    return transactions ? writeInTransaction(scope, writes, random) : writeInOrder(scope, writes, log);
  };

  /** The writes as the collections have such values. Nothing is written yet. */
  const prepare = async (scope: Scope, writes: readonly Write[]): Promise<readonly Write[]> => {
    const dated = await withStoredDates(scope, writes, kinds);
    await refuseForeignDuplicates(scope, writes, { indexes, kinds });
    return dated;
  };

  /** Goes on behind an operation that has run out of time, and tells what then happens all the same. */
  const work = async (scope: Scope, writes: readonly Write[]): Promise<void> => {
    const byKind = (error: unknown) => explainByKind(error, scope, writes);
    try {
      refuseUnreadable(writes);
      const prepared = await repeatedRead(scope, () => prepare(scope, writes), random);
      const refusal = await apply(scope, prepared);
      if (refusal !== undefined)
        throw await explain({ ...refusal, error: await byKind(refusal.error) }, scope);
    } catch (error) {
      const failure = asFailure(await byKind(error));
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
