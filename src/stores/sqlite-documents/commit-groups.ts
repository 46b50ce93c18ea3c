// Inserts that arrive in one turn of the event loop share a transaction: most of what a commit costs is its end.
import type { Write } from '../ports.ts';

export interface Member {
  /** With their texts. */
  readonly writes: readonly Write[];
  /** UTF-16 units of all texts. */
  readonly size: number;
  /** Epoch milliseconds. */
  readonly deadline: number | undefined;
}

interface Waiting extends Member {
  readonly done: PromiseWithResolvers<void>;
}

export interface CommitGroups {
  /** The commit of `member` with others when this turn ends; undefined when it is better made alone, now. */
  join(member: Member): Promise<void> | undefined;
  /** Resolves when no group is gathering. */
  gathered(): Promise<void>;
}

interface GroupOptions {
  /** What one group may hold. */
  readonly most: { readonly writes: number; readonly size: number };
  /** Runs `work` when its turn to write comes. */
  queue(work: () => Promise<void>, deadline: number | undefined): Promise<void>;
  /** Commits all of it or nothing, at once; `size` is that of all members. False when that failed, for whatever reason. */
  together(writes: readonly Write[], size: number): boolean;
  /** Commits one member by itself, with the error that is its own. */
  alone(member: Member): Promise<void>;
}

const turnOfLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

function earliest(group: readonly Member[]): number | undefined {
  const deadlines = group.flatMap(({ deadline }) => deadline ?? []);
  return deadlines.length === 0 ? undefined : Math.min(...deadlines);
}

/** An update was computed from what it read: waiting would let others in between. */
const isInsert = ({ kind }: Write) => kind === 'insert';

export function createCommitGroups({ most, queue, together, alone }: GroupOptions): CommitGroups {
  /** Undefined until something is committed in this turn: who is alone need not wait for anybody. */
  let gathering: Waiting[] | undefined;
  let room = most;

  const commitAll = async (group: readonly Waiting[]) => {
    const size = group.reduce((sum, member) => sum + member.size, 0);
    const writes = group.flatMap((member) => member.writes);
    if (group.length > 1 && together(writes, size)) {
      for (const { done } of group) done.resolve();
      return;
    }
    // A failure of one must not be one of all.
    for (const [at, member] of group.entries()) {
      if (at > 0) await turnOfLoop();
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
    join(member) {
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
    gathered: () => (gathering === undefined ? Promise.resolve() : turnOfLoop()),
  };
}
