// Selects one page of a sorted result in bounded memory: a heap keeps the smallest keys, and keys that do not fit are read again in
// another pass.

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

export interface Match {
  /** The whole sort key, unique per document. */
  readonly key: Buffer;
  readonly doc: number;
}

/** Iterates over all matches in any order. Called once per pass, with the same matches each time. */
export type Matches = () => Iterable<Match>;

export interface PageRange {
  readonly skip: number;
  readonly limit: number;
}

export interface SelectLimits {
  /** Memory for the kept keys. A single key may exceed it. */
  readonly maxBytes: number;
  /** How many bytes of a key are kept when whole keys need too much memory. */
  readonly headLength: number;
}

const DEFAULT_LIMITS: SelectLimits = { maxBytes: 32 * 1024 * 1024, headLength: 128 };

interface Pass {
  /** The smallest items in order: as many as requested, or as fit into memory. */
  readonly kept: readonly RankedItem[];
  /** How many items were read. */
  readonly total: number;
}

// A substring would keep the whole string in memory: these are copies.
const wholeOf = (key: Buffer) => key.toString('latin1');
const headOf = (key: Buffer, length: number) => key.toString('latin1', 0, length);

function smallestOf(items: Iterable<RankedItem>, size: number, maxBytes: number): Pass {
  const top = createTopN({ size, maxBytes });
  let total = 0;
  for (const item of items) {
    total += 1;
    top.add(item);
  }
  return { kept: top.sorted(), total };
}

function headsOf(top: TopN, size: number, { maxBytes, headLength }: SelectLimits): TopN {
  const heads = createTopN({ size, maxBytes });
  for (const { key, doc } of top.sorted()) {
    heads.add({ key: headOf(Buffer.from(key, 'latin1'), headLength), doc });
  }
  return heads;
}

/** Keeps whole keys, and switches to their heads when whole keys need too much memory. */
function firstPass(matches: Matches, size: number, limits: SelectLimits): Pass & { readonly cut: boolean } {
  const { maxBytes, headLength } = limits;
  let top = createTopN({ size, maxBytes });
  let cut = false;
  let total = 0;
  for (const { key, doc } of matches()) {
    total += 1;
    // Only a complete set can be cut: equal heads would not tell which items were dropped before.
    if (!cut && total <= size && top.bytesWith(key.length) > maxBytes) {
      cut = true;
      top = headsOf(top, size, limits);
    }
    top.add({ key: cut ? headOf(key, headLength) : wholeOf(key), doc });
  }
  return { kept: top.sorted(), total, cut };
}

interface FoundPage {
  readonly page: readonly RankedItem[];
  /** How many items before the page have the same key as its first item. */
  readonly tied: number;
}

interface PassesOptions extends PageRange {
  readonly maxBytes: number;
  /** A pass that was already run. */
  readonly first?: Pass | undefined;
}

/** Runs passes until the page is full. Each continues where the previous one ended. */
function runPasses(
  items: () => Iterable<RankedItem>,
  { skip, limit, maxBytes, first }: PassesOptions,
): FoundPage {
  const page: RankedItem[] = [];
  let place = 0;
  let run = { key: '', count: 0 };
  let pass = first ?? smallestOf(items(), skip + limit, maxBytes);
  for (;;) {
    for (const item of pass.kept) {
      place += 1;
      if (place > skip) page.push(item);
      else run = item.key === run.key ? { key: run.key, count: run.count + 1 } : { key: item.key, count: 1 };
    }
    const last = pass.kept.at(-1);
    const remaining = pass.total - pass.kept.length;
    if (last === undefined || page.length >= limit || remaining === 0 || place + remaining <= skip) {
      return { page, tied: page[0]?.key === run.key ? run.count : 0 };
    }
    pass = smallestOf(itemsAfter(items(), last), skip + limit - place, maxBytes);
  }
}

function* itemsAfter(items: Iterable<RankedItem>, last: RankedItem): Iterable<RankedItem> {
  for (const item of items) if (compareRanked(item, last) > 0) yield item;
}

/** Sorts a page by whole keys once its heads are known. */
function pageByWholeKeys(matches: Matches, heads: FoundPage, limits: SelectLimits): readonly RankedItem[] {
  const { page, tied } = heads;
  const low = page[0]?.key ?? '';
  const high = page.at(-1)?.key ?? '';
  const within = function* (): Iterable<RankedItem> {
    for (const { key, doc } of matches()) {
      const head = headOf(key, limits.headLength);
      if (low <= head && head <= high) yield { key: wholeOf(key), doc };
    }
  };
  return runPasses(within, { skip: tied, limit: page.length, maxBytes: limits.maxBytes }).page;
}

const docsOf = (items: readonly RankedItem[]) => items.map(({ doc }) => doc);

/** Returns the `doc` numbers of one page of the sorted matches. */
export function selectPage(
  matches: Matches,
  { skip, limit }: PageRange,
  limits: SelectLimits = DEFAULT_LIMITS,
): readonly number[] {
  // One more item shows whether the page ends within a run of equal heads.
  const size = skip + limit + 1;
  const first = firstPass(matches, size, limits);
  if (skip >= first.total) return [];
  if (!first.cut && first.kept.length === Math.min(size, first.total)) {
    return docsOf(first.kept.slice(skip, skip + limit));
  }
  const heads = function* (): Iterable<RankedItem> {
    for (const { key, doc } of matches()) yield { key: headOf(key, limits.headLength), doc };
  };
  const range = { skip, limit: limit + 1, maxBytes: limits.maxBytes };
  const found = runPasses(heads, { ...range, first: first.cut ? first : undefined });
  const page = found.page.slice(0, limit);
  const isOrdered = found.page.every(({ key }, at) => at === 0 || key !== found.page[at - 1]?.key);
  if (found.tied === 0 && isOrdered) return docsOf(page);
  return docsOf(pageByWholeKeys(matches, { page, tied: found.tied }, limits));
}
