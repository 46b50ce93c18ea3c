// Calls of a minute, counted by all processes together in the cache that they share. Calls that come while it is asked are asked
// for together afterwards: no call waits for more than two answers, and a busy module costs no more than one question at a time.
// Without the cache, or while it is away, each process takes its part of the limit.
import type { SharedCounts } from '../../stores/ports.ts';
import type { CacheReach } from '../cache-reach.ts';
import type { CountCall } from '../coordination.ts';
import { KnownWindows } from './known-windows.ts';

const WINDOW_MS = 60_000;

export interface DividedCountDeps {
  /** The part of a limit that this process may take without the cache. */
  readonly shareOf: (limit: number) => number;
  /** Milliseconds of a steady clock. */
  readonly clock: () => number;
}

export interface SharedCountDeps extends DividedCountDeps {
  readonly counts: SharedCounts;
  readonly reach: Pick<CacheReach, 'isAway' | 'leave'>;
}

interface WaitingCall {
  readonly limit: number;
  readonly resolve: (isWithin: boolean) => void;
}

/** Creates the count of calls of one process, which takes its part of each limit. */
export function createDividedCalls({ shareOf, clock }: DividedCountDeps, windows = new KnownWindows(clock)) {
  return (moduleId: string, perMinute: number): boolean => {
    const window = windows.of(moduleId);
    if (window.settled >= perMinute || window.own >= shareOf(perMinute)) return false;
    windows.takeUnheard(window, WINDOW_MS);
    return true;
  };
}

/** Creates the count of calls that processes make together. */
export function createSharedCalls({ counts, reach, ...divided }: SharedCountDeps): CountCall {
  const windows = new KnownWindows(divided.clock);
  const takeShare = createDividedCalls(divided, windows);
  /** Of the modules about which the cache is being asked. */
  const waiting = new Map<string, WaitingCall[]>();

  const askFor = async (key: string, calls: readonly WaitingCall[]): Promise<void> => {
    // A policy may have been posted in between: the newest one holds.
    const limit = calls.at(-1)?.limit ?? 0;
    const options = { wanted: calls.length, windowMs: WINDOW_MS, isHeld: false };
    const answer = reach.isAway() ? undefined : await windows.ask(counts, [{ key, limit }], options);
    if (answer === undefined) {
      if (!reach.isAway()) void reach.leave();
      for (const call of calls) call.resolve(takeShare(key, call.limit));
      return;
    }
    for (const [index, call] of calls.entries()) call.resolve(index < answer.granted);
  };

  const askForAll = async (key: string, queue: WaitingCall[]): Promise<void> => {
    while (queue.length > 0) await askFor(key, queue.splice(0));
    waiting.delete(key);
  };

  return (key, limit) => {
    if (windows.of(key).settled >= limit) return false;
    if (reach.isAway()) return takeShare(key, limit);
    return new Promise((resolve) => {
      const queue = waiting.get(key);
      if (queue !== undefined) {
        queue.push({ limit, resolve });
        return;
      }
      const first = [{ limit, resolve }];
      waiting.set(key, first);
      void askForAll(key, first);
    });
  };
}
