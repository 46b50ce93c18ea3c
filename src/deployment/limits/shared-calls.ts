// Calls of a minute, counted by all processes together in the cache that they share. Calls that come while it is asked are asked
// for together afterwards: no call waits for more than two answers, and a busy module costs no more than one question at a time.
// Without the cache, each process takes its part of the limit.
import type { MaybePromise } from '../../lib/async/maybe-promise.ts';
import type { SharedCounts } from '../../stores/ports.ts';
import type { CacheReach } from '../cache-reach.ts';
import { KnownWindows } from './known-windows.ts';

const WINDOW_MS = 60_000;

export interface SharedCountDeps {
  readonly counts: SharedCounts;
  readonly reach: Pick<CacheReach, 'isAway' | 'leave'>;
  /** The part of a limit that this process may take while the cache is away. */
  readonly shareOf: (limit: number) => number;
  /** Milliseconds of a steady clock. */
  readonly clock: () => number;
}

/** Whether one more call of `key` is within `limit` calls a minute, 0 for any number; then it is counted. Never rejects. */
export type CountSharedCall = (key: string, limit: number) => MaybePromise<boolean>;

interface WaitingCall {
  readonly limit: number;
  readonly resolve: (isWithin: boolean) => void;
}

/** Creates the count of calls. */
export function createSharedCalls({ counts, reach, shareOf, clock }: SharedCountDeps): CountSharedCall {
  const windows = new KnownWindows(clock);
  /** Of the keys of which the cache is being asked. */
  const waiting = new Map<string, WaitingCall[]>();

  const takeShare = (key: string, limit: number): boolean => {
    const window = windows.of(key);
    if (window.settled >= limit || window.own >= shareOf(limit)) return false;
    windows.takeUnheard(window, WINDOW_MS);
    return true;
  };

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
    if (limit === 0) return true;
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
