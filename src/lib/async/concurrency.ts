// Maps a list with a limit on concurrent tasks.

/**
 * Maps all items, at most `maxConcurrent` at the same time, with results in the order of the items. Rejects with the first error
 * and starts nothing more; the results of tasks that are still running are dropped.
 */
export async function mapConcurrent<T, R>(
  items: readonly T[],
  maxConcurrent: number,
  map: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  let failed = false;
  const work = async () => {
    while (next < items.length && !failed) {
      const index = next;
      next += 1;
      try {
        results[index] = await map(items[index] as T, index);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxConcurrent, items.length) }, work));
  return results;
}
