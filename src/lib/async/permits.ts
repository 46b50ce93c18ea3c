// Permits that are waited for in order, one or several at a time; where it is said, by so many at most and not for ever.

import { onceAborted } from './ownership.ts';

export interface PermitsOptions {
  /** How many may be held at a time. */
  readonly permits: number;
  /** How many may wait; any number by default. */
  readonly maxWaiting?: number;
  /** Milliseconds that each may wait; any time by default. */
  readonly maxWaitMs?: number;
  /** The error for one too many, or one who waited too long. */
  readonly createError?: () => Error;
}

const noneFree = () => new Error('no permit is free');

interface Waiting {
  readonly count: number;
  readonly resolve: () => void;
}

export class Permits {
  readonly #options: PermitsOptions;
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiting>();
  #free: number;

  constructor(options: PermitsOptions) {
    this.#options = options;
    this.#free = options.permits;
  }

  /**
   * Takes `count` permits, to be given back by `release`: at once where they are free and nobody waits, else the promise resolves with
   * them. It rejects with the error of the options, or with the reason of `signal`. Whoever takes more than there are waits for ever.
   */
  acquire(count = 1, signal?: AbortSignal): Promise<void> | undefined {
    if (count > this.#free || this.#waiting.size > 0 || signal?.aborted === true) {
      return this.#wait(count, signal);
    }
    this.#free -= count;
    return undefined;
  }

  async #wait(count: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const { maxWaiting = Number.POSITIVE_INFINITY, maxWaitMs, createError = noneFree } = this.#options;
    if (this.#waiting.size >= maxWaiting) throw createError();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const entry = { count, resolve };
    const leave = (error: unknown) => {
      if (!this.#waiting.delete(entry)) return;
      reject(error);
      // Whoever waited behind it may need less.
      this.#wake();
    };
    this.#waiting.add(entry);
    const ignoreAbort = signal && onceAborted(signal, () => leave(signal.reason));
    const timer = maxWaitMs === undefined ? undefined : setTimeout(() => leave(createError()), maxWaitMs);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      ignoreAbort?.();
    }
  }

  /** Gives permits back. They go to the first who waits, so that nobody who comes later can take them. */
  release(count = 1): void {
    this.#free += count;
    this.#wake();
  }

  #wake(): void {
    for (const entry of this.#waiting) {
      if (entry.count > this.#free) return;
      this.#waiting.delete(entry);
      this.#free -= entry.count;
      entry.resolve();
    }
  }
}
