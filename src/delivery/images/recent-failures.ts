// Renderings that failed a moment ago: the same original with the same settings would fail again, and cost as much again.
import { LRUCache } from 'lru-cache';
import { AppError, type ErrorCode } from '../../errors/errors.ts';

const MAX_REMEMBERED = 1000;
/** Of what is wrong with the original: another one has another key. */
const INVALID_MS = 30_000;
/** Of what may go well another time: what `Retry-After` says, so that who obeys it is not refused. */
const FAILED_MS = 5000;

const LIFETIMES: Readonly<Partial<Record<ErrorCode, number>>> = {
  IMAGE_INVALID: INVALID_MS,
  IMAGE_TOO_LARGE: INVALID_MS,
  CROP_INVALID: INVALID_MS,
  RENDER_TIMEOUT: FAILED_MS,
  RENDER_FAILED: FAILED_MS,
};

export interface RecentFailures {
  /** Throws the error with which the rendering of this key failed a moment ago, if it did. */
  assertNone(key: string): void;
  /** Remembers an error of a rendering; any but those of the image and of its process is not kept. */
  add(key: string, error: unknown): void;
  clear(): void;
}

/** Remembers the last 1000 failures. `now`: milliseconds of any clock. */
export function createRecentFailures(now: () => number): RecentFailures {
  const failures = new LRUCache<string, { readonly error: AppError; readonly until: number }>({
    max: MAX_REMEMBERED,
  });
  return {
    assertNone(key) {
      const failure = failures.get(key);
      if (failure === undefined) return;
      if (now() < failure.until) throw failure.error;
      failures.delete(key);
    },
    add(key, error) {
      const lifetime = error instanceof AppError ? LIFETIMES[error.code] : undefined;
      if (lifetime !== undefined) failures.set(key, { error: error as AppError, until: now() + lifetime });
    },
    clear: () => failures.clear(),
  };
}
