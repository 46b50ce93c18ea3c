// Inserts that arrive in one turn of the event loop share a transaction: most of what a commit costs is its end.
import type { Write } from '../../ports.ts';

export interface ShortCommit {
  /** With their texts. */
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
  /** The commit of `member` with others when this turn ends; undefined when it is better made alone, now. */
  tryJoin(member: ShortCommit): Promise<void> | undefined;
  /** Resolves when no group is gathering. */
  flushed(): Promise<void>;
}

interface CommitGroupsDeps {
  /** What one group may hold. */
  readonly limits: { readonly writes: number; readonly size: number };
  /** Runs `work` when its turn to write comes. */
  enqueue(work: () => Promise<void>, deadline: number | undefined): Promise<void>;
  /** Commits all of it or nothing, at once; `size` is that of all members. False when that failed, for whatever reason. */
  commitTogether(writes: readonly Write[], size: number): boolean;
  /** Commits one member by itself, with the error that is its own. */
  commitAlone(member: ShortCommit): Promise<void>;
}

const nextTick = () => new Promise<void>((resolve) => setImmediate(resolve));

function earliest(group: readonly ShortCommit[]): number | undefined {
  const deadlines = group.flatMap(({ deadline }) => deadline ?? []);
  return deadlines.length === 0 ? undefined : Math.min(...deadlines);
}

/** An update was computed from what it read: waiting would let others in between. */
const isInsert = ({ kind }: Write) => kind === 'insert';

export function createCommitGroups({
  limits: most,
  enqueue: queue,
  commitTogether: together,
  commitAlone: alone,
}: CommitGroupsDeps): CommitGroups {
  /** Undefined until something is committed in this turn: who is alone need not wait for anybody. */
  let gathering: GroupedCommit[] | undefined;
  let room = most;

  const commitAll = async (group: readonly GroupedCommit[]) => {
    const size = group.reduce((sum, member) => sum + member.size, 0);
    const writes = group.flatMap((member) => member.writes);
    if (group.length > 1 && together(writes, size)) {
      for (const { done } of group) done.resolve();
      return;
    }
    // A failure of one must not be one of all.
    for (const [at, member] of group.entries()) {
      if (at > 0) await nextTick();
      await alone(member).then(member.done.resolve, member.done.reject);
    }
  };

  const endTurn = () => {
    const group = gathering ?? [];
    gathering = undefined;
    if (group.length === 0) return;
    queue(() => commitAll(group), earliest(group)).catch((error: unknown) => {
      for (const { done } of group) done.reject(error);
    });
  };

  return {
    tryJoin(member) {
      if (!member.writes.every(isInsert)) return undefined;
      if (gathering === undefined) {
        gathering = [];
        room = most;
        setImmediate(endTurn);
        return undefined;
      }
      const left = { writes: room.writes - member.writes.length, size: room.size - member.size };
      if (left.writes < 0 || left.size < 0) return undefined;
      room = left;
      const done = Promise.withResolvers<void>();
      gathering.push({ ...member, done });
      return done.promise;
    },
    flushed: () => (gathering === undefined ? Promise.resolve() : nextTick()),
  };
}
