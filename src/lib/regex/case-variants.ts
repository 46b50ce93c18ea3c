// Case in classes: a class that ignores case is written out with every twin of its members, since the engine needs
// milliseconds to find the twins in a range of many characters.
import { foldCase } from '../case-folding.ts';
import type { CodePointRange } from './code-point-ranges.ts';

/** No character from here on has a twin. */
const END = 0x1_e944;

interface CaseVariants {
  /** Every code point with a twin, ascending. */
  readonly cased: readonly number[];
  /** Each with those that differ from it only in case. */
  readonly variantsOf: ReadonlyMap<number, readonly number[]>;
}

const CASED = /\p{Changes_When_Casemapped}|\p{Changes_When_Casefolded}/u;

function findCaseVariants(): CaseVariants {
  const groups = new Map<string, number[]>();
  for (let codePoint = 0; codePoint < END; codePoint += 1) {
    const text = String.fromCodePoint(codePoint);
    if (!CASED.test(text)) continue;
    const folded = foldCase(text);
    const group = groups.get(folded);
    if (group === undefined) groups.set(folded, [codePoint]);
    else group.push(codePoint);
  }
  const twinsOf = new Map<number, readonly number[]>();
  for (const group of groups.values()) {
    if (group.length === 1) continue;
    for (const codePoint of group) {
      twinsOf.set(
        codePoint,
        group.filter((other) => other !== codePoint),
      );
    }
  }
  return { cased: [...twinsOf.keys()].sort((a, b) => a - b), variantsOf: twinsOf };
}

// Constant data, found on first use.
let found: CaseVariants | undefined;

/** The same ranges in order, those that touch made one. */
function merged(ranges: readonly CodePointRange[]): readonly CodePointRange[] {
  const result: [number, number][] = [];
  for (const [first, last] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const before = result.at(-1);
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else result.push([first, last]);
  }
  return result;
}

/** The first position in an ascending list from which on `isBehind` holds. */
function firstWhere<T>(list: readonly T[], isBehind: (entry: T) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBehind(list[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function holds(ranges: readonly CodePointRange[], codePoint: number): boolean {
  const range = ranges[firstWhere(ranges, ([, last]) => last >= codePoint)];
  return range !== undefined && range[0] <= codePoint;
}

/** The ranges and whatever differs from one of their members only in case. */
export function addCaseVariants(ranges: readonly CodePointRange[]): readonly CodePointRange[] {
  found ??= findCaseVariants();
  const { cased, variantsOf: twinsOf } = found;
  const own = merged(ranges);
  const twins = new Set<number>();
  for (const [first, last] of own) {
    for (let at = firstWhere(cased, (codePoint) => codePoint >= first); at < cased.length; at += 1) {
      const codePoint = cased[at] as number;
      if (codePoint > last) break;
      for (const twin of twinsOf.get(codePoint) ?? []) {
        if ((twin < first || twin > last) && !holds(own, twin)) twins.add(twin);
      }
    }
  }
  return [...own, ...[...twins].map((twin): CodePointRange => [twin, twin])];
}
