// Permits that are waited for in order; where it is said, by so many at most and not for ever.

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

export class Permits {
  readonly #options: PermitsOptions;
  /** In the order in which they came. */
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(options: PermitsOptions) {
    this.#options = options;
    this.#free = options.permits;
  }

  /**
   * Takes a permit, to be given back by `release`: at once where one is free, else the promise resolves with it, or rejects with
   * the error of the options.
   */
  acquire(): Promise<void> | undefined {
    if (this.#free === 0) return this.#wait();
    this.#free -= 1;
    return undefined;
  }

  async #wait(): Promise<void> {
    const { maxWaiting = Number.POSITIVE_INFINITY, maxWaitMs, createError = noneFree } = this.#options;
    if (this.#waiting.size >= maxWaiting) throw createError();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    if (maxWaitMs === undefined) return promise;
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
