// Short commits that arrive in one turn of the event loop share a transaction: most of what a commit costs is its end.
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
  /** Joins the group that is gathering, where there is one with room: the promise is that of the member's commit. */
  join(member: Member): Promise<void> | undefined;
  /** Gathers until the turn of the event loop ends, then commits. Only one may lead at a time. */
  lead(member: Member): Promise<void>;
}

interface Bounds {
  readonly writes: number;
  readonly size: number;
}

interface GroupOptions {
  /** What one group may hold. */
  readonly most: Bounds;
  /** Commits all of it or nothing, at once. False when that failed, for whatever reason. */
  together(writes: readonly Write[]): boolean;
  /** Commits one member by itself, with the error that is its own. */
  alone(member: Member): Promise<void>;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

const turnOfLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

export function createCommitGroups({ most, together, alone, now = Date.now }: GroupOptions): CommitGroups {
  let gathering: Waiting[] | undefined;
  let room: Bounds = most;

  const enter = (group: Waiting[], member: Member): Promise<void> => {
    const done = Promise.withResolvers<void>();
    group.push({ ...member, done });
    room = { writes: room.writes - member.writes.length, size: room.size - member.size };
    return done.promise;
  };

  /** A failure of one must not be one of all, so whoever was in it commits again by itself. */
  const commitEach = async (group: readonly Waiting[]) => {
    for (const [at, member] of group.entries()) {
      if (at > 0) await turnOfLoop();
      await alone(member).then(member.done.resolve, member.done.reject);
    }
  };

  const inTime = ({ deadline }: Member) => deadline === undefined || now() <= deadline;

  return {
    join(member) {
      if (gathering === undefined) return undefined;
      const hasRoom = member.writes.length <= room.writes && member.size <= room.size;
      return hasRoom ? enter(gathering, member) : undefined;
    },
    async lead(member) {
      const group: Waiting[] = [];
      gathering = group;
      room = most;
      const mine = enter(group, member);
      await turnOfLoop();
      gathering = undefined;
      const isGroup = group.length > 1 && group.every(inTime);
      if (isGroup && together(group.flatMap(({ writes }) => writes))) {
        for (const { done } of group) done.resolve();
      } else {
        mine.catch(() => undefined);
        await commitEach(group);
      }
      return mine;
    },
  };
}
