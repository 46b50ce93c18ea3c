// A list of tasks of which only so many run at the same time.

/**
 * `map` over all items, at most `most` of them in hand at once, results in the order of the items. Rejects with the
 * first failure and begins nothing more; what is in hand then ends unobserved.
 */
export async function mapConcurrent<T, R>(
  items: readonly T[],
  most: number,
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
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, work));
  return results;
}
