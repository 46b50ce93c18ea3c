// Limits the fetches of one module: at a time, and in a minute.

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
  /** Counts a fetch, or returns the limit that it would exceed. */
  acquire(key: string): 'concurrency' | 'rate' | undefined;
  /** Ends a counted fetch. */
  release(key: string): void;
}

/** Creates the limiter of all modules. `now` is in epoch milliseconds. */
export function createFetchLimiter(now: () => number): FetchLimiter {
  const counts = new Map<string, FetchCount>();

  const countOf = (key: string): FetchCount => {
    const time = now();
    const known = counts.get(key);
    if (known === undefined) {
      const fresh = { active: 0, since: time, begun: 0 };
      counts.set(key, fresh);
      return fresh;
    }
    if (time - known.since >= MINUTE_MS) {
      known.since = time;
      known.begun = 0;
    }
    return known;
  };

  return {
    acquire(key) {
      const count = countOf(key);
      if (count.active >= MAX_ACTIVE) return 'concurrency';
      if (count.begun >= MAX_PER_MINUTE) return 'rate';
      count.active += 1;
      count.begun += 1;
      return undefined;
    },
    release(key) {
      const count = counts.get(key);
      if (count === undefined) return;
      count.active -= 1;
      if (count.active === 0 && now() - count.since >= MINUTE_MS) counts.delete(key);
    },
  };
}
