// Work that may have to be waited for: values that are there or promised, and loops that yield to the event loop when they are
// long, so that other requests are served in between. A read that finds its answer in memory gives it at once: a promise in
// between would cost it a turn of the microtask queue and an object for each step.
import { setImmediate } from 'node:timers/promises';

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

/** Calls `work` with one item after the other: at once with the next where nothing is waited for. */
export function forEachInTurn<T>(
  items: readonly T[],
  work: (item: T) => MaybePromise<void>,
  from = 0,
): MaybePromise<void> {
  const item = items[from];
  if (from >= items.length) return undefined;
  return andThen(work(item as T), () => forEachInTurn(items, work, from + 1));
}

const SLICE_MS = 3;
/** Most steps between two looks at the clock. It is read after the first step, and then less often while steps are short. */
const MAX_STEPS_PER_CHECK = 16;
const SHORT_STEPS_MS = 0.5;

/** Resolves in the next turn of the event loop. */
export const yieldToEventLoop = (): Promise<void> => setImmediate();

/**
 * Creates a function to call between the steps of long work. Once they have run for about 3 ms it returns a promise to
 * await, which yields to the event loop.
 */
export function createYielder(): () => Promise<void> | undefined {
  let last = performance.now();
  let end = last + SLICE_MS;
  let stride = 1;
  let steps = 0;
  const turn = async () => {
    await yieldToEventLoop();
    last = performance.now();
    end = last + SLICE_MS;
  };
  return () => {
    steps += 1;
    if (steps < stride) return undefined;
    steps = 0;
    const now = performance.now();
    stride = now - last > SHORT_STEPS_MS ? 1 : Math.min(2 * stride, MAX_STEPS_PER_CHECK);
    last = now;
    return now > end ? turn() : undefined;
  };
}

/** Visits each item and yields to the event loop every 3 ms or so. Short work is done at once. */
export function forEachYielding<T>(
  items: ArrayLike<T>,
  visit: (item: T, index: number) => void,
): MaybePromise<void> {
  return attempt(() => {
    const yieldIfDue = createYielder();
    let index = 0;
    /** Goes on until a turn is due: returns it, or undefined at the end. */
    const visitNext = (): Promise<void> | undefined => {
      while (index < items.length) {
        visit(items[index] as T, index);
        index += 1;
        const turn = yieldIfDue();
        if (turn !== undefined) return turn;
      }
      return undefined;
    };
    const visitRest = async (first: Promise<void>) => {
      for (let turn: Promise<void> | undefined = first; turn !== undefined; turn = visitNext()) await turn;
    };
    const turn = visitNext();
    return turn && visitRest(turn);
  });
}

/** `Array.prototype.map` that yields to the event loop every 3 ms or so. Short work is done at once. */
export function mapYielding<T, R>(
  items: readonly T[],
  map: (item: T, index: number) => R,
): MaybePromise<R[]> {
  // Nothing follows a single item, so no clock need be read.
  if (items.length <= 1) return attempt(() => items.map(map));
  const results: R[] = [];
  const mapping = forEachYielding(items, (item, index) => {
    results.push(map(item, index));
  });
  return andThen(mapping, () => results);
}

/**
 * Starts work for all items, yielding in between, then awaits what is asynchronous of it. Rejects with the first error.
 */
export function startAllYielding<T, R>(
  items: readonly T[],
  begin: (item: T, index: number) => MaybePromise<R>,
): MaybePromise<R[]> {
  const begun = mapYielding(items, (item, index) => {
    const work = begin(item, index);
    // Work that fails before all is started is awaited later: until then it must not count as unhandled.
    if (work instanceof Promise) work.catch(() => {});
    return work;
  });
  return andThen(begun, (works) =>
    works.some((work) => work instanceof Promise) ? Promise.all(works) : (works as R[]),
  );
}
