// Keeps the smallest keys of a stream, in memory that does not grow with the stream.

export interface RankedItem {
  /** Bytes, one a character: short, and compared as bytes are. */
  readonly key: string;
  readonly doc: number;
}

export interface TopNLimits {
  /** How many items are wanted. */
  readonly size: number;
  /** What the items kept may take: the largest leave when it is passed, but for one. */
  readonly maxBytes: number;
}

export interface TopN {
  add(item: RankedItem): void;
  /** About what it would take with one more key of that length. */
  bytesWith(length: number): number;
  /** What was kept, ascending: the smallest of all, but fewer than wanted where they take too much. */
  sorted(): readonly RankedItem[];
}

/** About what an item takes beside the characters of its key. */
const ITEM_BYTES = 80;

const bytesOf = (length: number) => length + ITEM_BYTES;

/** By key, then by number: a total order. */
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

/** Takes the largest item out. */
function pop(heap: RankedItem[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  heap[0] = last;
  siftDown(heap, 0);
}

/** A heap with its largest item first. */
export function createTopN({ size, maxBytes }: TopNLimits): TopN {
  const heap: RankedItem[] = [];
  let room = size;
  let bytes = 0;

  const drop = () => {
    if (heap[0] !== undefined) bytes -= bytesOf(heap[0].key.length);
    pop(heap);
  };

  return {
    add(item) {
      if (room === 0 || (heap.length === room && !isAbove(heap[0], item))) return;
      if (heap.length === room) drop();
      heap.push(item);
      bytes += bytesOf(item.key.length);
      siftUp(heap, heap.length - 1);
      while (bytes > maxBytes && heap.length > 1) {
        drop();
        // What left was smaller than all that may come for this place.
        room = heap.length;
      }
    },
    bytesWith: (length) => bytes + bytesOf(length),
    sorted: () => heap.toSorted(compareRanked),
  };
}
