// Long loops that yield to the event loop, so that other requests are served in between.
import { setImmediate } from 'node:timers/promises';

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

/** Visits each item and yields to the event loop every 3 ms or so. */
export async function forEachYielding<T>(
  items: Iterable<T>,
  visit: (item: T, index: number) => void,
): Promise<void> {
  let index = 0;
  const yieldIfDue = createYielder();
  for (const item of items) {
    visit(item, index);
    index += 1;
    const turn = yieldIfDue();
    if (turn !== undefined) await turn;
  }
}

/** `Array.prototype.map` that yields to the event loop every 3 ms or so. */
export async function mapYielding<T, R>(
  items: readonly T[],
  map: (item: T, index: number) => R,
): Promise<R[]> {
  const results: R[] = [];
  await forEachYielding(items, (item, index) => {
    results.push(map(item, index));
  });
  return results;
}

/**
 * Starts work for all items, yielding in between, then awaits what is asynchronous of it. Rejects with the first error.
 */
export async function startAllYielding<T, R>(
  items: readonly T[],
  begin: (item: T, index: number) => R | Promise<R>,
): Promise<R[]> {
  const begun = await mapYielding(items, (item, index) => {
    const work = begin(item, index);
    // Work that fails before all is started is awaited later: until then it must not count as unhandled.
    if (work instanceof Promise) work.catch(() => {});
    return work;
  });
  return Promise.all(begun);
}
