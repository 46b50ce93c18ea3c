// Writes as the main thread sees them: short commits at once, the others on the writer thread, one after the other.
import type { Namespace, OperationOptions, Write } from '../ports.ts';
import { applyWrites, type Writer } from './commit.ts';
import { createCommitGroups, type Member } from './commit-groups.ts';
import { isBusy } from './connection.ts';
import { checkDeadline, createBudget, OverBudget } from './meter.ts';
import { asStoreError } from './outcome.ts';
import { packWrites } from './parcel.ts';
import type { Threads } from './threads.ts';
import type { WalKeeper } from './wal-keeper.ts';
import type { WriteQueue } from './write-queue.ts';

interface Collaborators {
  readonly writer: Writer;
  readonly threads: Threads;
  readonly queue: WriteQueue;
  readonly wal: WalKeeper;
  /** Milliseconds that only ever grow: what budgets go by. */
  readonly clock: () => number;
  /** Hears of watchers that fail. */
  readonly onError: (error: unknown) => void;
}

/** What a commit on the main thread may have at most. Rows of an index count towards its time. */
const SHORT_WRITES = 32;
const SHORT_TEXT = 256 * 1024;
const BUDGET_MS = 8;
/** Commits of more text than this have the log looked at. */
const LARGE_TEXT = 64 * 1024;

/** Texts longer than this are looked at for the number of their values: each may become a row of every index. */
const PLAIN_TEXT = 16 * 1024;
const SHORT_VALUES = 4000;

/** How long a commit without a deadline waits for another process that holds the file. */
const PATIENCE_MS = 5000;
const RETRY_MS = 5;

/** The same writes with their texts, or undefined when they are too much for the main thread. */
function shortCommit(writes: readonly Write[], deadline: number | undefined): Member | undefined {
  if (writes.length > SHORT_WRITES) return undefined;
  let size = 0;
  const withTexts = writes.map((write) => {
    if (write.kind === 'remove') return write;
    const text = write.text ?? JSON.stringify(write.document);
    size += text.length;
    return { ...write, text };
  });
  if (size > SHORT_TEXT || (size > PLAIN_TEXT && commasIn(withTexts) > SHORT_VALUES)) return undefined;
  return { writes: withTexts, size, deadline };
}

function commasIn(writes: readonly Write[]): number {
  let commas = 0;
  for (const write of writes) {
    const text = write.kind === 'remove' ? '' : (write.text ?? '');
    for (let at = text.indexOf(','); at >= 0; at = text.indexOf(',', at + 1)) commas += 1;
  }
  return commas;
}

/** Runs `work` again and again while another process holds the file. Throws `timeout` past the deadline. */
export async function patiently<T>(work: () => T, deadline: number | undefined): Promise<T> {
  const end = deadline ?? Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    checkDeadline(end);
  }
}

export interface Commits {
  commit(writes: readonly Write[], options: OperationOptions): Promise<void>;
  watch(listener: (changed: readonly Namespace[]) => void): () => void;
  /** Resolves when all that was asked for is in the queue. */
  queued(): Promise<void>;
}

/** Joins the main connection with the writer thread. */
export function createCommits({ writer, threads, queue, wal, clock, onError }: Collaborators): Commits {
  const watchers = new Set<(changed: readonly Namespace[]) => void>();

  const apply = (writes: readonly Write[]) =>
    applyWrites(writer, writes, createBudget(BUDGET_MS, SHORT_TEXT, clock));

  const attemptHere = async ({ writes, deadline }: Member) => {
    try {
      checkDeadline(deadline);
      // The budget begins with each attempt.
      await patiently(() => apply(writes), deadline);
    } catch (error) {
      if (!(error instanceof OverBudget)) throw asStoreError(error);
      await threads.commit(await packWrites(writes, deadline));
    }
  };

  const commitHere = (member: Member) => wal.withRoom(member.size, () => attemptHere(member));

  const groups = createCommitGroups({
    most: { writes: SHORT_WRITES, size: SHORT_TEXT },
    queue: (work, deadline) => queue.run(work, { deadline }),
    together(writes, size) {
      try {
        if (!wal.hasRoom(size)) return false;
        apply(writes);
        return true;
      } catch {
        return false;
      }
    },
    alone: commitHere,
  });

  const commitLong = async (writes: readonly Write[], deadline: number | undefined) => {
    const parcel = await packWrites(writes, deadline);
    const work = () => {
      checkDeadline(deadline);
      return threads.commit(parcel);
    };
    await queue.run(() => wal.withRoom(parcel.size, work), { deadline });
  };

  const commitAny = async (writes: readonly Write[], deadline: number | undefined) => {
    const short = shortCommit(writes, deadline);
    try {
      if (short === undefined) await commitLong(writes, deadline);
      else await (groups.join(short) ?? queue.run(() => commitHere(short), { deadline }));
    } finally {
      // A commit that failed may have made the log longer too.
      wal.wrote(short === undefined || short.size > LARGE_TEXT);
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
    queued: () => groups.gathered(),
    watch(listener) {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
  };
}
