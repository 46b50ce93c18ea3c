// Finds one page of a sorted stream in bounded memory: what does not fit is gone through again instead of kept.
import { compareRanked, createTopN, type RankedItem, type TopN } from './top-n.ts';

export interface Match {
  /** The whole key: no two are the same. */
  readonly key: Buffer;
  readonly doc: number;
}

/** Every match, in any order. Called again for each pass: it gives the same ones each time. */
export type Matches = () => Iterable<Match>;

export interface PageRange {
  readonly skip: number;
  readonly limit: number;
}

export interface SelectLimits {
  /** What the keys that are kept may take; a single one may take more. */
  readonly maxBytes: number;
  /** How many bytes of a key are kept where whole keys take too much. */
  readonly headLength: number;
}

const DEFAULT_LIMITS: SelectLimits = { maxBytes: 32 * 1024 * 1024, headLength: 128 };

interface Pass {
  /** The smallest, in order: as many as are wanted, or as memory allows. */
  readonly kept: readonly RankedItem[];
  /** How many were looked at. */
  readonly total: number;
}

// Part of a string would keep the whole of it in memory: these are copies.
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

/** Keeps whole keys, or their heads from where they take too much on. */
function firstPass(matches: Matches, size: number, limits: SelectLimits): Pass & { readonly cut: boolean } {
  const { maxBytes, headLength } = limits;
  let top = createTopN({ size, maxBytes });
  let cut = false;
  let total = 0;
  for (const { key, doc } of matches()) {
    total += 1;
    // Heads that are the same tell nothing about what was left out before: only a complete set can be cut.
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
  /** How many items before the page have the key with which it begins. */
  readonly tied: number;
}

interface PassesOptions extends PageRange {
  readonly maxBytes: number;
  /** The pass that was made already. */
  readonly first?: Pass | undefined;
}

/** One pass after the other, each from where the one before ended. */
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
    const left = pass.total - pass.kept.length;
    if (last === undefined || page.length >= limit || left === 0 || place + left <= skip) {
      return { page, tied: page[0]?.key === run.key ? run.count : 0 };
    }
    pass = smallestOf(itemsAfter(items(), last), skip + limit - place, maxBytes);
  }
}

function* itemsAfter(items: Iterable<RankedItem>, last: RankedItem): Iterable<RankedItem> {
  for (const item of items) if (compareRanked(item, last) > 0) yield item;
}

/** The page by whole keys, where its heads are known. */
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

/** The numbers of the documents at these places of the order. */
export function selectPage(
  matches: Matches,
  { skip, limit }: PageRange,
  limits: SelectLimits = DEFAULT_LIMITS,
): readonly number[] {
  // One more, to see whether the page ends among equal heads.
  const size = skip + limit + 1;
  const first = firstPass(matches, size, limits);
  if (skip >= first.total) return [];
  if (!first.cut && first.kept.length === Math.min(size, first.total)) {
    return docsOf(first.kept.slice(skip, skip + limit));
  }
  const heads = function* (): Iterable<RankedItem> {
    for (const { key, doc } of matches()) yield { key: headOf(key, limits.headLength), doc };
  };
  const places = { skip, limit: limit + 1, maxBytes: limits.maxBytes };
  const found = runPasses(heads, { ...places, first: first.cut ? first : undefined });
  const page = found.page.slice(0, limit);
  const isOrdered = found.page.every(({ key }, at) => at === 0 || key !== found.page[at - 1]?.key);
  if (found.tied === 0 && isOrdered) return docsOf(page);
  return docsOf(pageByWholeKeys(matches, { page, tied: found.tied }, limits));
}
