// Group commit: inserts that arrive in one tick of the event loop share a transaction, whose end is most of the cost of a commit.
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
  /** Adds a commit to the group that is committed at the end of this tick; undefined if it should be committed alone, now. */
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
  const deadlines = commits.flatMap(({ deadline }) => deadline ?? []);
  return deadlines.length === 0 ? undefined : Math.min(...deadlines);
}

/** An update depends on what it read: waiting would let other writes in between. */
const isInsert = ({ kind }: Write) => kind === 'insert';

export function createCommitGroups({
  limits,
  enqueue,
  commitTogether,
  commitAlone,
}: CommitGroupsDeps): CommitGroups {
  /** Undefined until something is committed in this tick: a single commit does not wait for others. */
  let group: GroupedCommit[] | undefined;
  let remaining = limits;

  const commitAll = async (members: readonly GroupedCommit[]) => {
    const size = members.reduce((sum, member) => sum + member.size, 0);
    const writes = members.flatMap((member) => member.writes);
    if (members.length > 1 && commitTogether(writes, size)) {
      for (const { done } of members) done.resolve();
      return;
    }
    // The error of one member must not fail the others.
    for (const [index, member] of members.entries()) {
      if (index > 0) await nextTick();
      await commitAlone(member).then(member.done.resolve, member.done.reject);
    }
  };

  const closeGroup = () => {
    const members = group ?? [];
    group = undefined;
    if (members.length === 0) return;
    enqueue(() => commitAll(members), earliest(members)).catch((error: unknown) => {
      for (const { done } of members) done.reject(error);
    });
  };

  return {
    tryJoin(commit) {
      if (!commit.writes.every(isInsert)) return undefined;
      if (group === undefined) {
        group = [];
        remaining = limits;
        setImmediate(closeGroup);
        return undefined;
      }
      const rest = {
        writes: remaining.writes - commit.writes.length,
        size: remaining.size - commit.size,
      };
      if (rest.writes < 0 || rest.size < 0) return undefined;
      remaining = rest;
      const done = Promise.withResolvers<void>();
      group.push({ ...commit, done });
      return done.promise;
    },
    flushed: () => (group === undefined ? Promise.resolve() : nextTick()),
  };
}
