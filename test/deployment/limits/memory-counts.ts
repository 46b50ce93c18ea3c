// Counts as Redis keeps them, in memory, with a clock that the test moves; and processes that share them.
import { createSharedAttempts } from '../../../src/deployment/limits/shared-attempts.ts';
import { createSharedCalls } from '../../../src/deployment/limits/shared-calls.ts';
import type { SharedCounts } from '../../../src/stores/ports.ts';

interface Counted {
  readonly window: string;
  readonly endsAt: number;
  used: number;
  held: number;
}

/** What the processes of a test share. */
export function createSharedCounts() {
  const counted = new Map<string, Counted>();
  let time = 0;
  let windows = 0;
  let isAway = false;
  /** How many were wanted in each question. */
  const asked: number[] = [];

  const windowOf = (key: string, windowMs: number): Counted => {
    const found = counted.get(key);
    if (found !== undefined && time < found.endsAt) return found;
    windows += 1;
    return { window: `w${windows}`, endsAt: time + windowMs, used: 0, held: 0 };
  };

  const counts: SharedCounts = {
    async take(limits, { wanted, windowMs, isHeld }) {
      if (isAway) return undefined;
      asked.push(wanted);
      let granted = wanted;
      const found = limits.map(({ key, limit, window, own, unheard }) => {
        const state = windowOf(key, windowMs);
        state.used += state.window === window ? unheard : own;
        granted = Math.min(granted, Math.max(0, limit - state.used));
        return { key, state };
      });
      for (const { key, state } of found) {
        state.used += granted;
        if (isHeld) state.held += granted;
        if (state.used > 0) counted.set(key, state);
      }
      const answers = found.map(({ state: { window, used, held, endsAt } }) => {
        return { window, used, held, endsInMs: endsAt - time };
      });
      return { granted, windows: answers };
    },
    async settle(ended, isGivenBack) {
      if (isAway) return;
      for (const { key, window } of ended) {
        const state = counted.get(key);
        if (state?.window !== window) continue;
        state.held -= 1;
        if (isGivenBack) state.used -= 1;
        if (state.used === 0) counted.delete(key);
      }
    },
  };

  /** One of `processes`; it tells by `left` whether it had the others leave the cache alone. */
  const join = (processes = 2) => {
    const left: string[] = [];
    const deps = {
      counts,
      reach: {
        isAway: () => left.length > 0,
        leave: async () => void left.push('left'),
      },
      shareOf: (limit: number) => Math.max(1, Math.floor(limit / processes)),
      clock: () => time,
    };
    return {
      count: createSharedCalls(deps),
      begin: createSharedAttempts({ ...deps, windowMs: 60_000 }),
      left,
      /** It reaches the cache again. */
      comeBack: () => left.splice(0),
    };
  };

  return {
    counts,
    join,
    asked,
    advance(milliseconds: number) {
      time += milliseconds;
    },
    setAway(away: boolean) {
      isAway = away;
    },
    /** What an empty cache that takes the place of another one knows. */
    lose: () => counted.clear(),
  };
}
