// Gathers operations that reach one collection in the same turn of the event loop, so that one command serves all of them.

/** Operations whose limits differ by more milliseconds are not sent together: one command has one time limit. */
const MAX_SPREAD_MS = 100;

interface TimedMember {
  /** The deadline, or what is left until then, in milliseconds; the same for all members. Undefined without one. */
  readonly limitMs: number | undefined;
}

interface TurnGroupsOptions<Key, Member> {
  /** Whether one more member fits in a command. */
  readonly fits: (members: readonly Member[], more: Member) => boolean;
  /** Sends a group and tells each member its outcome. Never rejects. */
  readonly send: (key: Key, members: readonly Member[]) => Promise<void>;
}

/** Creates the function that adds a member to the group of its key. The group is sent at the end of the turn. */
export function createTurnGroups<Key, Member extends TimedMember>(options: TurnGroupsOptions<Key, Member>) {
  /** The groups that still take members. */
  const open = new Map<Key, Member[]>();
  return (key: Key, member: Member): void => {
    const current = open.get(key);
    if (current !== undefined && endTogether(current[0], member) && options.fits(current, member)) {
      current.push(member);
      return;
    }
    const members = [member];
    open.set(key, members);
    setImmediate(() => {
      if (open.get(key) === members) open.delete(key);
      void options.send(key, members);
    });
  };
}

function endTogether(first: TimedMember | undefined, { limitMs }: TimedMember): boolean {
  if (first?.limitMs === undefined || limitMs === undefined) return first?.limitMs === limitMs;
  return Math.abs(first.limitMs - limitMs) <= MAX_SPREAD_MS;
}
