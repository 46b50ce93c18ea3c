// Commits, one after the other: short ones on the main thread, long ones on the writer thread. Inserts that arrive together share a
// transaction, since beginning and ending one is half the cost of a commit.
import { explainTimeout } from '../../errors/errors.ts';
import type { MaybePromise } from '../../lib/async/maybe-promise.ts';
import { type Namespace, namespaceKey, type OperationOptions, type Write } from '../ports.ts';
import type { Checkpointer } from './checkpointer.ts';
import { applyWrites } from './commit/apply-writes.ts';
import { serializeWrites } from './commit/serialized-writes.ts';
import type { WriteQueue } from './commit/write-queue.ts';
import {
  assertBeforeDeadline,
  createWorkLimit,
  retryWhileBusy,
  WorkLimitExceeded,
} from './data-file/connection.ts';
import { asStoreError } from './data-file/storage-errors.ts';
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

/** What a client is told of a commit that ran out of time. */
const LATE_COMMIT =
  'The write waited for the database longer than `limits.queryMs` allows: other writes, or another program, hold its lock. Nothing was written';

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

  const commitOnWriterThread = async (writes: readonly Write[], deadline: number | undefined) => {
    const serialized = await serializeWrites(writes, deadline);
    const work = () => {
      assertBeforeDeadline(deadline);
      return threads.commit(serialized);
    };
    await queue.run(() => checkpointer.withDiskSpace(serialized.size, work), { deadline });
  };

  const commitOnMainThread = (commit: ShortCommit) =>
    checkpointer.withDiskSpace(commit.size, () => applyWithRetry(commit));

  /** What exceeds the work limit of the main thread goes to the writer thread. */
  const applyWithRetry = async ({ writes, deadline }: ShortCommit) => {
    try {
      assertBeforeDeadline(deadline);
      // Each attempt has a work limit of its own.
      await retryWhileBusy(() => applyOnce(writes), deadline);
    } catch (error) {
      if (!(error instanceof WorkLimitExceeded)) throw asStoreError(error);
      await threads.commit(await serializeWrites(writes, deadline));
    }
  };

  const applyOnce = (writes: readonly Write[]) =>
    applyWrites(writer, writes, createWorkLimit(MAX_MAIN_THREAD_MS, MAX_SHORT_TEXT, clock));

  const groups = createCommitGroups({
    limits: { writes: MAX_SHORT_WRITES, size: MAX_SHORT_TEXT },
    enqueue: (work, deadline) => queue.run(work, { deadline }),
    async commitTogether(writes, size, deadline) {
      try {
        if (!checkpointer.hasDiskSpace(size)) return false;
        await retryWhileBusy(() => applyOnce(writes), deadline);
        return true;
      } catch {
        return false;
      }
    },
    commitAlone: commitOnMainThread,
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
        if (short === undefined) await commitOnWriterThread(writes, deadline);
        else await (groups.tryJoin(short) ?? queue.run(() => commitOnMainThread(short), { deadline }));
      } catch (error) {
        throw explainTimeout(error, LATE_COMMIT);
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

export interface ShortCommit {
  /** The writes with their texts. */
  readonly writes: readonly Write[];
  /** UTF-16 units of all texts. */
  readonly size: number;
  /** Epoch milliseconds. */
  readonly deadline: number | undefined;
}

interface GroupedCommit extends ShortCommit {
  readonly done: PromiseWithResolvers<void>;
}

export interface CommitGroups {
  /**
   * Adds a commit to the group that is committed at the end of the first turn of the event loop that adds no other one, or before
   * if the group is full. Undefined for anything but inserts: that should be committed alone, now.
   */
  tryJoin(commit: ShortCommit): Promise<void> | undefined;
  /** Resolves when no group is collecting commits. */
  flushed(): Promise<void>;
}

interface CommitGroupsDeps {
  /** Limits of one group. */
  readonly limits: { readonly writes: number; readonly size: number };
  /** Runs `work` in the write queue. */
  enqueue(work: () => Promise<void>, deadline: number | undefined): Promise<void>;
  /**
   * Commits all writes in one transaction, as soon as no other process holds the lock; `size` is their text. Resolves with false
   * if that failed for any reason. `deadline` is in epoch milliseconds.
   */
  commitTogether(writes: readonly Write[], size: number, deadline: number | undefined): MaybePromise<boolean>;
  /** Commits one member alone, and rejects with its own error. */
  commitAlone(commit: ShortCommit): Promise<void>;
}

const nextTick = () => new Promise<void>((resolve) => setImmediate(resolve));

function earliest(commits: readonly ShortCommit[]): number | undefined {
  let first = Number.POSITIVE_INFINITY;
  for (const { deadline = first } of commits) first = Math.min(first, deadline);
  return first === Number.POSITIVE_INFINITY ? undefined : first;
}

/** An update depends on what it read: waiting would let other writes in between. */
const isInsert = ({ kind }: Write) => kind === 'insert';

/** Commits in their order. */
interface CommitGroup {
  readonly members: GroupedCommit[];
  writes: number;
  size: number;
}

/** Creates the groups of one store. */
export function createCommitGroups({
  limits,
  enqueue,
  commitTogether,
  commitAlone,
}: CommitGroupsDeps): CommitGroups {
  let open: CommitGroup | undefined;

  const commitAll = async ({ members, size }: CommitGroup) => {
    if (members.length > 1) {
      const writes = members.flatMap((member) => member.writes);
      if (await commitTogether(writes, size, earliest(members))) {
        for (const { done } of members) done.resolve();
        return;
      }
    }
    // The error of one member must not fail the others.
    for (const [index, member] of members.entries()) {
      if (index > 0) await nextTick();
      await commitAlone(member).then(member.done.resolve, member.done.reject);
    }
  };

  const closeGroup = () => {
    const group = open;
    open = undefined;
    if (group === undefined) return;
    enqueue(() => commitAll(group), earliest(group.members)).catch((error: unknown) => {
      for (const { done } of group.members) done.reject(error);
    });
  };

  /** The open group if it takes this commit too, else a new one. */
  const groupFor = (commit: ShortCommit): CommitGroup => {
    if (open !== undefined) {
      const fits =
        open.writes + commit.writes.length <= limits.writes && open.size + commit.size <= limits.size;
      if (fits) return open;
      closeGroup();
    }
    open = { members: [], writes: 0, size: 0 };
    closeWhenQuiet(open, 1);
    return open;
  };

  /** While one turn handles many requests, the next ones arrive. `count` is the number of members when the turn began. */
  const closeWhenQuiet = (group: CommitGroup, count: number) => {
    setImmediate(() => {
      if (open !== group) return;
      if (group.members.length > count) closeWhenQuiet(group, group.members.length);
      else closeGroup();
    });
  };

  return {
    tryJoin(commit) {
      if (!commit.writes.every(isInsert)) return undefined;
      const group = groupFor(commit);
      const done = Promise.withResolvers<void>();
      group.members.push({ ...commit, done });
      group.writes += commit.writes.length;
      group.size += commit.size;
      return done.promise;
    },
    async flushed() {
      while (open !== undefined) await nextTick();
    },
  };
}
