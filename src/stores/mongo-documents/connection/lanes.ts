// Turns in lanes: each kind of work has connections that no other kind can take, so that what is slow holds nothing else up.
import type { Deadline } from './deadlines.ts';
import { createQueue, type Queue } from './queue.ts';

/** Kinds of work, from the shortest to the longest. */
const LANES = ['lookup', 'write', 'query', 'count', 'scan', 'page'] as const;

/**
 * `lookup`: reads by id, and the server's own records. `query`: reads that are known to be quick. `count`: counts of whole
 * collections. `scan`: reads that may look at all documents. `page`: long pages, which take memory.
 */
export type Lane = (typeof LANES)[number];

const COUNTS = 2;
/** Long pages in memory at once: one is fetched while the other is written as text. */
const PAGES = 2;

export interface Lanes {
  /** Resolves when it is the caller's turn. Rejects with `timeout` at the deadline, `unavailable` once closed. */
  enter(lane: Lane, deadline: Deadline): Promise<void>;
  /** Ends a turn. */
  leave(lane: Lane): void;
  /** Sends away everybody who waits. */
  close(): void;
}

interface Share {
  /** Places that are kept free for this lane. */
  readonly reserved: number;
  /** Places that it takes at most. */
  readonly most: number;
}

/** How `places` are shared out. What is reserved for no lane goes to whoever comes first. */
function sharesOf(places: number): Readonly<Record<Lane, Share>> {
  const part = (divisor: number) => Math.floor(places / divisor);
  const few = (most: number) => Math.max(1, Math.min(most, part(4)));
  // Each keeps a processor of the database busy, which what is short needs too.
  const scans = Math.max(few(2), part(32));
  return {
    // Also of a few places one is for reads by id, and one for writes.
    lookup: { reserved: Math.max(part(4), places > 1 ? 1 : 0), most: places },
    write: { reserved: Math.max(part(4), places > 2 ? 1 : 0), most: places },
    query: { reserved: part(8), most: Math.max(1, part(2)) },
    count: { reserved: Math.min(1, part(16)), most: few(COUNTS) },
    scan: { reserved: Math.min(scans, part(16)), most: scans },
    page: { reserved: Math.min(PAGES, part(16)), most: few(PAGES) },
  };
}

interface State extends Share {
  used: number;
  readonly queue: Queue;
}

/** Lanes over so many places. In each of them it is first come, first served. */
export function createLanes(places: number): Lanes {
  const shares = sharesOf(places);
  const states: readonly State[] = LANES.map((lane) => ({ ...shares[lane], used: 0, queue: createQueue() }));
  const stateOf = (lane: Lane) => states[LANES.indexOf(lane)] as State;
  /** Where the search for whom to let in begins: a lane that has had its turn is the last one next time. */
  let first = 0;

  const isFree = ({ used, reserved, most }: State) => {
    if (used >= most) return false;
    const taken = states.reduce((sum, state) => sum + Math.max(state.used, state.reserved), 0);
    return used < reserved || taken < places;
  };

  return {
    async enter(lane, deadline) {
      const state = stateOf(lane);
      if (state.queue.size() > 0 || !isFree(state)) return state.queue.wait(deadline);
      state.used += 1;
    },
    leave(lane) {
      stateOf(lane).used -= 1;
      for (let step = 0; step < states.length; step += 1) {
        const at = (first + step) % states.length;
        const state = states[at] as State;
        if (!isFree(state) || !state.queue.next()) continue;
        state.used += 1;
        first = at + 1;
        return;
      }
    },
    close() {
      for (const { queue } of states) queue.close();
    },
  };
}

/** Whether work of `lane` is longer than that of `other`. */
export function isLonger(lane: Lane, other: Lane): boolean {
  return LANES.indexOf(lane) > LANES.indexOf(other);
}
