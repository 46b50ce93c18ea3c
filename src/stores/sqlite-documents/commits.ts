// Writes as the main thread sees them: short commits at once, the others on the writer thread, one after the other.
import type { Namespace, OperationOptions, Write } from '../ports.ts';
import type { Checkpointer } from './checkpointer.ts';
import { applyWrites, type WriteContext } from './commit/apply-writes.ts';
import { createCommitGroups, type ShortCommit } from './commit/commit-groups.ts';
import { serializeWrites } from './commit/serialized-writes.ts';
import type { WriteQueue } from './commit/write-queue.ts';
import { isBusy } from './data-file/connection.ts';
import { assertBeforeDeadline, createWorkLimit, WorkLimitExceeded } from './data-file/work-limit.ts';
import { asStoreError } from './threads/thread-result.ts';
import type { Threads } from './threads/threads.ts';

interface CommitsDeps {
  readonly writer: WriteContext;
  readonly threads: Threads;
  readonly queue: WriteQueue;
  readonly wal: Checkpointer;
  /** Milliseconds that only ever grow: what budgets go by. */
  readonly clock: () => number;
  /** Hears of watchers that fail. */
  readonly onError: (error: unknown) => void;
}

/** What a commit on the main thread may have at most. Rows of an index count towards its time. */
const MAX_SHORT_WRITES = 32;
const MAX_SHORT_TEXT = 256 * 1024;
const MAX_MAIN_THREAD_MS = 8;
/** Commits of more text than this have the log looked at. */
const MIN_LARGE_TEXT = 64 * 1024;

/** Texts longer than this are looked at for the number of their values: each may become a row of every index. */
const MAX_UNCOUNTED_TEXT = 16 * 1024;
const MAX_SHORT_VALUES = 4000;

/** How long a commit without a deadline waits for another process that holds the file. */
const BUSY_TIMEOUT_MS = 5000;
const RETRY_MS = 5;

/** The same writes with their texts, or undefined when they are too much for the main thread. */
function toShortCommit(writes: readonly Write[], deadline: number | undefined): ShortCommit | undefined {
  if (writes.length > MAX_SHORT_WRITES) return undefined;
  let size = 0;
  const withTexts = writes.map((write) => {
    if (write.kind === 'remove') return write;
    const text = write.text ?? JSON.stringify(write.document);
    size += text.length;
    return { ...write, text };
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

/** Runs `work` again and again while another process holds the file. Throws `timeout` past the deadline. */
export async function retryWhileBusy<T>(work: () => T, deadline: number | undefined): Promise<T> {
  const end = deadline ?? Date.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    assertBeforeDeadline(end);
  }
}

export interface Commits {
  commit(writes: readonly Write[], options: OperationOptions): Promise<void>;
  onCommit(listener: (changed: readonly Namespace[]) => void): () => void;
  /** Resolves when all that was asked for is in the queue. */
  flushed(): Promise<void>;
}

/** Joins the main connection with the writer thread. */
export function createCommits({ writer, threads, queue, wal, clock, onError }: CommitsDeps): Commits {
  const watchers = new Set<(changed: readonly Namespace[]) => void>();

  const apply = (writes: readonly Write[]) =>
    applyWrites(writer, writes, createWorkLimit(MAX_MAIN_THREAD_MS, MAX_SHORT_TEXT, clock));

  const attemptHere = async ({ writes, deadline }: ShortCommit) => {
    try {
      assertBeforeDeadline(deadline);
      // The budget begins with each attempt.
      await retryWhileBusy(() => apply(writes), deadline);
    } catch (error) {
      if (!(error instanceof WorkLimitExceeded)) throw asStoreError(error);
      await threads.commit(await serializeWrites(writes, deadline));
    }
  };

  const commitHere = (member: ShortCommit) => wal.withDiskSpace(member.size, () => attemptHere(member));

  const groups = createCommitGroups({
    limits: { writes: MAX_SHORT_WRITES, size: MAX_SHORT_TEXT },
    enqueue: (work, deadline) => queue.run(work, { deadline }),
    commitTogether(writes, size) {
      try {
        if (!wal.hasDiskSpace(size)) return false;
        apply(writes);
        return true;
      } catch {
        return false;
      }
    },
    commitAlone: commitHere,
  });

  const commitLong = async (writes: readonly Write[], deadline: number | undefined) => {
    const parcel = await serializeWrites(writes, deadline);
    const work = () => {
      assertBeforeDeadline(deadline);
      return threads.commit(parcel);
    };
    await queue.run(() => wal.withDiskSpace(parcel.size, work), { deadline });
  };

  const commitAny = async (writes: readonly Write[], deadline: number | undefined) => {
    const short = toShortCommit(writes, deadline);
    try {
      if (short === undefined) await commitLong(writes, deadline);
      else await (groups.tryJoin(short) ?? queue.run(() => commitHere(short), { deadline }));
    } finally {
      // A commit that failed may have made the log longer too.
      wal.afterWrite(short === undefined || short.size > MIN_LARGE_TEXT);
    }
  };

  /** What is committed is committed, whatever a watcher makes of it. */
  const tellWatchers = (changed: readonly Namespace[]) => {
    for (const watcher of watchers) {
      try {
        watcher(changed);
      } catch (error) {
        onError(error);
      }
    }
  };

  return {
    async commit(writes, { deadline }) {
      if (writes.length === 0) return;
      await commitAny(writes, deadline);
      const changed = new Map(writes.map(({ ns }) => [`${ns.database ?? ''}/${ns.collection}`, ns]));
      tellWatchers([...changed.values()]);
    },
    flushed: () => groups.flushed(),
    onCommit(listener) {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
  };
}
