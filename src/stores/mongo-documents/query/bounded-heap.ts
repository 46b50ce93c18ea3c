// Heap that keeps the n smallest items of a stream, without ever sorting many at once.
import { createYielder } from '../../../lib/async/maybe-promise.ts';

export interface BoundedHeap<T> {
  add(item: T): void;
  /** Removes and returns the items, ascending, yielding to the event loop in between. */
  take(): Promise<T[]>;
}

/** Creates a heap of at most `size` items. Of equal items any may be kept. */
export function createBoundedHeap<T>(size: number, compare: (a: T, b: T) => number): BoundedHeap<T> {
  // A binary heap: no item is larger than the one above it, at half its place.
  const heap: T[] = [];
  const isAbove = (a: number, b: number) => compare(heap[a] as T, heap[b] as T) > 0;
  const swap = (a: number, b: number) => {
    const first = heap[a] as T;
    heap[a] = heap[b] as T;
    heap[b] = first;
  };

  const rise = () => {
    let at = heap.length - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isAbove(at, parent)) return;
      swap(at, parent);
      at = parent;
    }
  };

  const sink = () => {
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      if (left >= heap.length) return;
      const largest = left + 1 < heap.length && isAbove(left + 1, left) ? left + 1 : left;
      if (!isAbove(largest, at)) return;
      swap(at, largest);
      at = largest;
    }
  };

  const pop = (): T => {
    swap(0, heap.length - 1);
    const item = heap.pop() as T;
    sink();
    return item;
  };

  return {
    add(item) {
      if (heap.length < size) {
        heap.push(item);
        rise();
      } else if (size > 0 && compare(heap[0] as T, item) > 0) {
        heap[0] = item;
        sink();
      }
    },
    async take() {
      const items: T[] = [];
      const yieldIfDue = createYielder();
      while (heap.length > 0) {
        items.push(pop());
        const yielded = yieldIfDue();
        if (yielded !== undefined) await yielded;
      }
      return items.reverse();
    },
  };
}
