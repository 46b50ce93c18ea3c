// Group commit: inserts of one turn of the event loop share a transaction, since beginning and ending one is half the cost of a
// commit.
import type { Write } from '../../ports.ts';

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
   * Adds a commit to the group that is committed at the end of this turn of the event loop, or before if the group is full.
   * Undefined for anything but inserts: that should be committed alone, now.
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
  /** Commits all writes in one transaction; `size` is their text. Returns false if that failed for any reason. */
  commitTogether(writes: readonly Write[], size: number): boolean;
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

/** The commits of one turn, in their order. */
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
      if (commitTogether(writes, size)) {
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
    setImmediate(closeGroup);
    return open;
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
    flushed: () => (open === undefined ? Promise.resolve() : nextTick()),
  };
}
