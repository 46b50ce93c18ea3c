// Long loops in short stretches, so that other requests are served in between.
import { setImmediate } from 'node:timers/promises';

const SLICE_MS = 3;

/** Lets the event loop turn: whatever else is to be done is done before this resolves. */
export const yieldToEventLoop = (): Promise<void> => setImmediate();

/**
 * Makes the function to be called between the steps of long work. Once they have run for some 3 ms it gives a promise
 * to be awaited, which lets the event loop turn.
 */
export function createYielder(): () => Promise<void> | undefined {
  let end = performance.now() + SLICE_MS;
  const turn = async () => {
    await yieldToEventLoop();
    end = performance.now() + SLICE_MS;
  };
  return () => (performance.now() > end ? turn() : undefined);
}

/** Does something for each item, and lets the event loop turn whenever it has run for some 3 ms. */
export async function forEachYielding<T>(
  items: Iterable<T>,
  visit: (item: T, index: number) => void,
): Promise<void> {
  let index = 0;
  const pace = createYielder();
  for (const item of items) {
    visit(item, index);
    index += 1;
    const turn = pace();
    if (turn !== undefined) await turn;
  }
}

/** `Array.prototype.map` that lets the event loop turn whenever it has run for some 3 ms. */
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

/** The same for work that goes on by itself: all of it is begun, then awaited. Rejects with the first failure. */
export async function startAllYielding<T, R>(
  items: readonly T[],
  begin: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const begun = await mapYielding(items, (item, index) => {
    const work = begin(item, index);
    // One that fails before all are begun is awaited later: until then it must not count as unhandled.
    work.catch(() => {});
    return work;
  });
  return Promise.all(begun);
}
