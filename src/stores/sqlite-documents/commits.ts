// Commits, one after the other: short ones on the main thread, long ones on the writer thread.
import { namespaceKey } from '../namespace.ts';
import type { Namespace, OperationOptions, Write } from '../ports.ts';
import type { Checkpointer } from './checkpointer.ts';
import { applyWrites } from './commit/apply-writes.ts';
import { createCommitGroups, type ShortCommit } from './commit/commit-groups.ts';
import { serializeWrites } from './commit/serialized-writes.ts';
import type { WriteQueue } from './commit/write-queue.ts';
import { retryWhileBusy } from './data-file/connection.ts';
import { asStoreError } from './data-file/storage-errors.ts';
import { assertBeforeDeadline, createWorkLimit, WorkLimitExceeded } from './data-file/work-limit.ts';
import type { WriteContext } from './indexes/index-update.ts';
import type { Threads } from './threads/threads.ts';

interface CommitsDeps {
  readonly writer: WriteContext;
  readonly threads: Threads;
  readonly queue: WriteQueue;
  readonly checkpointer: Checkpointer;
  /** Monotonic milliseconds, for work limits. */
  readonly clock: () => number;
  /** Called with errors of listeners. */
  readonly onError: (error: unknown) => void;
}

/** Limits of a commit on the main thread. Updating index rows counts towards its time. */
const MAX_SHORT_WRITES = 32;
const MAX_SHORT_TEXT = 256 * 1024;
const MAX_MAIN_THREAD_MS = 8;
/** After a commit of more text the log is checked at once. */
const MIN_LARGE_TEXT = 64 * 1024;

/** In longer texts the values are counted: each may become a row of every index. */
const MAX_UNCOUNTED_TEXT = 16 * 1024;
const MAX_SHORT_VALUES = 4000;

export interface Commits {
  commit(writes: readonly Write[], options?: OperationOptions): Promise<void>;
  onCommit(listener: (changed: readonly Namespace[]) => void): () => void;
  /** Resolves when every commit of the current group is in the queue. */
  flushed(): Promise<void>;
}

/** Joins the main connection with the writer thread. */
export function createCommits(deps: CommitsDeps): Commits {
  const { writer, threads, queue, checkpointer, clock, onError } = deps;
  const listeners = new Set<(changed: readonly Namespace[]) => void>();

  const commitOnThread = async (writes: readonly Write[], deadline: number | undefined) => {
    const serialized = await serializeWrites(writes, deadline);
    const work = () => {
      assertBeforeDeadline(deadline);
      return threads.commit(serialized);
    };
    await queue.run(() => checkpointer.withDiskSpace(serialized.size, work), { deadline });
  };

  const commitHere = (commit: ShortCommit) =>
    checkpointer.withDiskSpace(commit.size, () => applyHere(commit));

  const applyHere = async ({ writes, deadline }: ShortCommit) => {
    try {
      assertBeforeDeadline(deadline);
      // Each attempt has a work limit of its own.
      await retryWhileBusy(() => apply(writes), deadline);
    } catch (error) {
      if (!(error instanceof WorkLimitExceeded)) throw asStoreError(error);
      await threads.commit(await serializeWrites(writes, deadline));
    }
  };

  const apply = (writes: readonly Write[]) =>
    applyWrites(writer, writes, createWorkLimit(MAX_MAIN_THREAD_MS, MAX_SHORT_TEXT, clock));

  const groups = createCommitGroups({
    limits: { writes: MAX_SHORT_WRITES, size: MAX_SHORT_TEXT },
    enqueue: (work, deadline) => queue.run(work, { deadline }),
    commitTogether(writes, size) {
      try {
        if (!checkpointer.hasDiskSpace(size)) return false;
        apply(writes);
        return true;
      } catch {
        return false;
      }
    },
    commitAlone: commitHere,
  });

  /** An error of a listener does not undo the commit. */
  const emit = (changed: readonly Namespace[]) => {
    for (const listener of listeners) {
      try {
        listener(changed);
      } catch (error) {
        onError(error);
      }
    }
  };

  return {
    async commit(writes, { deadline } = {}) {
      if (writes.length === 0) return;
      const short = toShortCommit(writes, deadline);
      try {
        if (short === undefined) await commitOnThread(writes, deadline);
        else await (groups.tryJoin(short) ?? queue.run(() => commitHere(short), { deadline }));
      } finally {
        // A failed commit may have extended the log too.
        checkpointer.afterWrite(short === undefined || short.size > MIN_LARGE_TEXT);
      }
      if (listeners.size > 0) emit(changedNamespaces(writes));
    },
    flushed: () => groups.flushed(),
    onCommit(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function changedNamespaces(writes: readonly Write[]): readonly Namespace[] {
  return [...new Map(writes.map(({ ns }) => [namespaceKey(ns), ns])).values()];
}

/** Returns the writes with their texts; undefined if they are too much for the main thread. */
function toShortCommit(writes: readonly Write[], deadline: number | undefined): ShortCommit | undefined {
  if (writes.length > MAX_SHORT_WRITES) return undefined;
  let size = 0;
  const withTexts = writes.map((write) => {
    if (write.kind === 'remove') return write;
    const text = write.text ?? JSON.stringify(write.document);
    size += text.length;
    return write.text === undefined ? { ...write, text } : write;
  });
  if (size > MAX_SHORT_TEXT || (size > MAX_UNCOUNTED_TEXT && countCommas(withTexts) > MAX_SHORT_VALUES))
    return undefined;
  return { writes: withTexts, size, deadline };
}

function countCommas(writes: readonly Write[]): number {
  let commas = 0;
  for (const write of writes) {
    const text = write.kind === 'remove' ? '' : (write.text ?? '');
    for (let at = text.indexOf(','); at >= 0; at = text.indexOf(',', at + 1)) commas += 1;
  }
  return commas;
}
