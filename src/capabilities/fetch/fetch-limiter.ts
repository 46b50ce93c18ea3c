// How many fetches one module may have at a time, and in a minute.

/** At a time, for one module. */
const MAX_ACTIVE = 64;
/** In a minute, for one module. */
const MAX_PER_MINUTE = 12_000;
const MINUTE_MS = 60_000;

interface FetchCount {
  active: number;
  since: number;
  begun: number;
}

interface FetchLimiter {
  /** Counts a fetch in, or says what bound it would break. */
  acquire(unitId: string): 'concurrency' | 'rate' | undefined;
  /** Counts it out again. */
  release(unitId: string): void;
}

/** Makes the meter of all modules. `now` is in epoch milliseconds. */
export function createFetchLimiter(now: () => number): FetchLimiter {
  const counts = new Map<string, FetchCount>();

  const countOf = (unitId: string): FetchCount => {
    const time = now();
    const known = counts.get(unitId);
    if (known === undefined) {
      const fresh = { active: 0, since: time, begun: 0 };
      counts.set(unitId, fresh);
      return fresh;
    }
    if (time - known.since >= MINUTE_MS) {
      known.since = time;
      known.begun = 0;
    }
    return known;
  };

  return {
    acquire(unitId) {
      const count = countOf(unitId);
      if (count.active >= MAX_ACTIVE) return 'concurrency';
      if (count.begun >= MAX_PER_MINUTE) return 'rate';
      count.active += 1;
      count.begun += 1;
      return undefined;
    },
    release(unitId) {
      const count = counts.get(unitId);
      if (count === undefined) return;
      count.active -= 1;
      if (count.active === 0 && now() - count.since >= MINUTE_MS) counts.delete(unitId);
    },
  };
}
