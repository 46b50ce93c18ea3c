// How many fetches one module may have at a time, and in a minute.

/** At a time, for one module. */
const MAX_ACTIVE = 64;
/** In a minute, for one module. */
const MAX_PER_MINUTE = 12_000;
const MINUTE = 60_000;

interface Count {
  active: number;
  since: number;
  begun: number;
}

interface Meter {
  /** Counts a fetch in, or says what bound it would break. */
  enter(unitId: string): 'concurrency' | 'rate' | undefined;
  /** Counts it out again. */
  leave(unitId: string): void;
}

/** Makes the meter of all modules. `now` is in epoch milliseconds. */
export function createMeter(now: () => number): Meter {
  const counts = new Map<string, Count>();

  const countOf = (unitId: string): Count => {
    const time = now();
    const known = counts.get(unitId);
    if (known === undefined) {
      const fresh = { active: 0, since: time, begun: 0 };
      counts.set(unitId, fresh);
      return fresh;
    }
    if (time - known.since >= MINUTE) {
      known.since = time;
      known.begun = 0;
    }
    return known;
  };

  return {
    enter(unitId) {
      const count = countOf(unitId);
      if (count.active >= MAX_ACTIVE) return 'concurrency';
      if (count.begun >= MAX_PER_MINUTE) return 'rate';
      count.active += 1;
      count.begun += 1;
      return undefined;
    },
    leave(unitId) {
      const count = counts.get(unitId);
      if (count === undefined) return;
      count.active -= 1;
      if (count.active === 0 && now() - count.since >= MINUTE) counts.delete(unitId);
    },
  };
}
