// Keeps the smallest keys of a stream, in memory that does not grow with the stream.

interface Ranked {
  readonly key: Buffer;
  readonly doc: number;
}

export interface Top {
  add(item: Ranked): void;
  /** What was kept, ascending. */
  sorted(): Ranked[];
}

const above = (a: Ranked | undefined, b: Ranked | undefined) =>
  a !== undefined && b !== undefined && Buffer.compare(a.key, b.key) > 0;

function siftDown(heap: Ranked[], start: number): void {
  let at = start;
  for (;;) {
    const left = 2 * at + 1;
    let largest = at;
    if (above(heap[left], heap[largest])) largest = left;
    if (above(heap[left + 1], heap[largest])) largest = left + 1;
    if (largest === at) return;
    swap(heap, at, largest);
    at = largest;
  }
}

function siftUp(heap: Ranked[], start: number): void {
  let at = start;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!above(heap[at], heap[parent])) return;
    swap(heap, at, parent);
    at = parent;
  }
}

function swap(heap: Ranked[], a: number, b: number): void {
  const first = heap[a];
  const second = heap[b];
  if (first === undefined || second === undefined) return;
  heap[a] = second;
  heap[b] = first;
}

/** Keeps at most `size` items. */
export function createTop(size: number): Top {
  const heap: Ranked[] = [];
  return {
    add(item) {
      if (heap.length < size) {
        heap.push(item);
        siftUp(heap, heap.length - 1);
      } else if (above(heap[0], item)) {
        heap[0] = item;
        siftDown(heap, 0);
      }
    },
    sorted: () => heap.toSorted((a, b) => Buffer.compare(a.key, b.key)),
  };
}
