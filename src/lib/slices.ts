// Long loops in short stretches, so that other requests are served in between.
import { setImmediate } from 'node:timers/promises';

const SLICE_MS = 3;

/** Lets the event loop turn: whatever else is to be done is done before this resolves. */
export const nextTurn = (): Promise<void> => setImmediate();

/**
 * Makes the function to be called between the steps of long work. Once they have run for some 3 ms it gives a promise
 * to be awaited, which lets the event loop turn.
 */
export function createPace(): () => Promise<void> | undefined {
  let end = performance.now() + SLICE_MS;
  const turn = async () => {
    await nextTurn();
    end = performance.now() + SLICE_MS;
  };
  return () => (performance.now() > end ? turn() : undefined);
}

/** `Array.prototype.map` that lets the event loop turn whenever it has run for some 3 ms. */
export async function mapInSlices<T, R>(
  items: readonly T[],
  map: (item: T, index: number) => R,
): Promise<R[]> {
  const results: R[] = [];
  const pace = createPace();
  for (let index = 0; index < items.length; index += 1) {
    results.push(map(items[index] as T, index));
    const turn = pace();
    if (turn !== undefined) await turn;
  }
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
