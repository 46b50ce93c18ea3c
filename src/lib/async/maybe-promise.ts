// A value that may have to be waited for. A read that finds its answer in memory gives it at once: a promise in between would
// cost it a turn of the microtask queue and an object for each step.

/**
 * The value, or a promise of it. `await` takes both. A function of this type never throws: its errors are rejections, whether it
 * waited or not, so that `Promise.all` over several calls leaves none of them without a handler.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Calls `next` with the value: at once if it is there. What `next` throws becomes a rejection. */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  if (value instanceof Promise) return value.then(next);
  try {
    return next(value);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Calls `work`. What it throws becomes a rejection. */
export function attempt<R>(work: () => MaybePromise<R>): MaybePromise<R> {
  return andThen(undefined, work);
}

/** Both values, once both are there. Rejects with the first error. */
export function both<A, B>(first: MaybePromise<A>, second: MaybePromise<B>): MaybePromise<readonly [A, B]> {
  if (first instanceof Promise || second instanceof Promise) return Promise.all([first, second]);
  return [first, second];
}
