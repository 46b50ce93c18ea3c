// Permits that are waited for in order, by so many at most and not for ever.

export interface PermitsOptions {
  /** How many may be held at a time. */
  readonly permits: number;
  /** How many may wait; any number by default. */
  readonly maxWaiting?: number;
  /** Milliseconds that each may wait. */
  readonly maxWaitMs: number;
  /** The error for one too many, or one who waited too long. */
  readonly createError: () => Error;
}

export class Permits {
  readonly #options: PermitsOptions;
  /** In the order in which they came. */
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(options: PermitsOptions) {
    this.#options = options;
    this.#free = options.permits;
  }

  /** Resolves with a permit, to be given back by `release`. Rejects with the error of the options. */
  async acquire(): Promise<void> {
    const { maxWaiting = Number.POSITIVE_INFINITY, maxWaitMs, createError } = this.#options;
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    if (this.#waiting.size >= maxWaiting) throw createError();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    const timer = setTimeout(() => {
      if (this.#waiting.delete(resolve)) reject(createError());
    }, maxWaitMs);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Gives a permit back. It goes to the first who waits, so that nobody who comes later can take it. */
  release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
