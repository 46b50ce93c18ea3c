// Failed attempts, counted by all processes together in the cache that they share. An attempt is counted when it begins, and given
// back when it has not failed: so no more attempts fail than may, at however many processes they are made at the same time. Without
// the cache, each process takes its part of the limits.
import { setTimeout as wait } from 'node:timers/promises';
import { type KeyedLimit, KnownWindows } from './known-windows.ts';
import type { SharedCountDeps } from './shared-calls.ts';

/** Milliseconds between two questions while attempts under way take up what is left, and for how long it is asked. */
const ASK_AGAIN_MS = 25;
const MAX_ASKING_MS = 2000;

/** Milliseconds that a client is told to wait where others are under way still. */
const BUSY_MS = 1000;

interface SharedAttemptsDeps extends SharedCountDeps {
  readonly windowMs: number;
}

/** An attempt under way. */
interface SharedAttempt {
  /** Call it once it has ended. It does not wait for the cache. */
  end(hasFailed: boolean): void;
}

/** Begins an attempt that counts for all of these limits; or the milliseconds after which one may be made. Never rejects. */
export type BeginAttempt = (limits: readonly KeyedLimit[]) => Promise<SharedAttempt | number>;

/** Creates the count of failed attempts. Attempts of one key must not overlap in this process. */
export function createSharedAttempts(deps: SharedAttemptsDeps): BeginAttempt {
  const { counts, reach, shareOf, clock, windowMs } = deps;
  const windows = new KnownWindows(clock);

  /** Milliseconds until all of these limits allow one more, by what they count. */
  const waitFor = (limits: readonly KeyedLimit[], isFull: (limit: KeyedLimit) => boolean): number =>
    Math.max(0, ...limits.filter(isFull).map(({ key }) => Math.max(1, windows.remaining(windows.of(key)))));

  const beginWithoutCache = (limits: readonly KeyedLimit[]): SharedAttempt | number => {
    const remaining = waitFor(limits, ({ key, limit }) => windows.of(key).own >= shareOf(limit));
    if (remaining > 0) return remaining;
    const taken = limits.map(({ key }) => windows.of(key));
    for (const window of taken) windows.takeUnheard(window, windowMs);
    return {
      end(hasFailed) {
        if (hasFailed) return;
        for (const window of taken) {
          window.own -= 1;
          window.unheard = Math.max(0, window.unheard - 1);
        }
      },
    };
  };

  /** What the cache has counted. */
  const attemptInCache = (limits: readonly KeyedLimit[]): SharedAttempt => {
    const taken = limits.map(({ key }) => ({ key, known: windows.of(key) }));
    const named = taken.map(({ key, known }) => ({ key, window: known.name }));
    return {
      end(hasFailed) {
        for (const { known } of taken) {
          if (hasFailed) known.settled += 1;
          else known.own -= 1;
        }
        void counts.settle(named, !hasFailed);
      },
    };
  };

  return async (limits) => {
    const giveUpAt = clock() + MAX_ASKING_MS;
    for (;;) {
      const remaining = waitFor(limits, ({ key, limit }) => windows.of(key).settled >= limit);
      if (remaining > 0) return remaining;
      if (reach.isAway()) return beginWithoutCache(limits);
      const options = { wanted: 1, windowMs, isHeld: true };
      const answer = await windows.ask(counts, limits, options);
      if (answer === undefined) void reach.leave();
      else if (answer.granted > 0) return attemptInCache(limits);
      else if (limits.every(({ key, limit }) => windows.of(key).settled < limit)) {
        if (clock() >= giveUpAt) return BUSY_MS;
        await wait(ASK_AGAIN_MS);
      }
    }
  };
}
