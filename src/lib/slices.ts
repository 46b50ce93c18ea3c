// Long loops in short stretches, so that other requests are served in between.
import { setImmediate } from 'node:timers/promises';

const SLICE_MS = 3;

/** Does something for each item, and lets the event loop turn whenever it has run for some 3 ms. */
export async function forEachInSlices<T>(
  items: Iterable<T>,
  visit: (item: T, index: number) => void,
): Promise<void> {
  let index = 0;
  let end = performance.now() + SLICE_MS;
  for (const item of items) {
    visit(item, index);
    index += 1;
    if (performance.now() > end) {
      await setImmediate();
      end = performance.now() + SLICE_MS;
    }
  }
}

/** `Array.prototype.map` that lets the event loop turn whenever it has run for some 3 ms. */
export async function mapInSlices<T, R>(
  items: readonly T[],
  map: (item: T, index: number) => R,
): Promise<R[]> {
  const results: R[] = [];
  await forEachInSlices(items, (item, index) => {
    results.push(map(item, index));
  });
  return results;
}

/** The same for work that goes on by itself: all of it is begun, then awaited. Rejects with the first failure. */
export async function awaitInSlices<T, R>(
  items: readonly T[],
  begin: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const begun = await mapInSlices(items, (item, index) => {
    const work = begin(item, index);
    // One that fails before all are begun is awaited later: until then it must not count as unhandled.
    work.catch(() => {});
    return work;
  });
  return Promise.all(begun);
}
