// Bounded heap that keeps the N smallest items of a stream.

export interface RankedItem {
  /** Bytes as a latin1 string: compact, and compared byte by byte. */
  readonly key: string;
  readonly doc: number;
}

export interface TopNLimits {
  /** How many items to keep. */
  readonly size: number;
  /** Memory for the kept items. Past it the largest are dropped, down to one. */
  readonly maxBytes: number;
}

export interface TopN {
  add(item: RankedItem): void;
  /** Approximate memory with one more key of that length. */
  bytesWith(length: number): number;
  /** The kept items, ascending: the smallest of all, fewer than requested if they need too much memory. */
  sorted(): readonly RankedItem[];
}

/** Approximate memory of an item, without its key. */
const ITEM_BYTES = 80;

const bytesOf = (length: number) => length + ITEM_BYTES;

/** Compares by key, then by `doc`: a total order. */
export function compareRanked(a: RankedItem, b: RankedItem): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return a.doc - b.doc;
}

const isAbove = (a: RankedItem | undefined, b: RankedItem | undefined) =>
  a !== undefined && b !== undefined && compareRanked(a, b) > 0;

function siftDown(heap: RankedItem[], start: number): void {
  let at = start;
  for (;;) {
    const left = 2 * at + 1;
    let largest = at;
    if (isAbove(heap[left], heap[largest])) largest = left;
    if (isAbove(heap[left + 1], heap[largest])) largest = left + 1;
    if (largest === at) return;
    swap(heap, at, largest);
    at = largest;
  }
}

function siftUp(heap: RankedItem[], start: number): void {
  let at = start;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!isAbove(heap[at], heap[parent])) return;
    swap(heap, at, parent);
    at = parent;
  }
}

function swap(heap: RankedItem[], a: number, b: number): void {
  const first = heap[a];
  const second = heap[b];
  if (first === undefined || second === undefined) return;
  heap[a] = second;
  heap[b] = first;
}

/** Removes the largest item. */
function pop(heap: RankedItem[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  heap[0] = last;
  siftDown(heap, 0);
}

/** Creates an empty heap, the largest item first. */
export function createTopN({ size, maxBytes }: TopNLimits): TopN {
  const heap: RankedItem[] = [];
  let capacity = size;
  let bytes = 0;

  const drop = () => {
    if (heap[0] !== undefined) bytes -= bytesOf(heap[0].key.length);
    pop(heap);
  };

  return {
    add(item) {
      if (capacity === 0 || (heap.length === capacity && !isAbove(heap[0], item))) return;
      if (heap.length === capacity) drop();
      heap.push(item);
      bytes += bytesOf(item.key.length);
      siftUp(heap, heap.length - 1);
      while (bytes > maxBytes && heap.length > 1) {
        drop();
        // The dropped item may be smaller than later ones: its place must not be filled again.
        capacity = heap.length;
      }
    },
    bytesWith: (length) => bytes + bytesOf(length),
    sorted: () => heap.toSorted(compareRanked),
  };
}
