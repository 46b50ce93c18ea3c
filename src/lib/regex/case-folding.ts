// Unicode simple case folding per code point, the relation that RegExp has under the flags `iu`: folds text for comparisons, and
// writes out a class that ignores case, since the linear engine needs milliseconds to find the variants of a long range.

import type { CodePointRange } from './code-point-ranges.ts';

/**
 * Characters outside the Latin, Cyrillic and East Asian blocks in which lower-casing equals case folding independently of
 * the context. Exceptions within Latin are the micro sign, capital I with a dot and long s.
 */
const UNUSUAL_CASE = /[^\0-\xb4\xb6-\u012f\u0131-\u017e\u0400-\u052f\u3000-\ua63f]/;

// Where lower(upper(c)) is not the simple folding: dotless i stays apart from i, and three letters whose
// upper case is several code points fold to another single letter.
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ['\u0131', '\u0131'],
  ['\u1fd3', '\u0390'],
  ['\u1fe3', '\u03b0'],
  ['\ufb05', '\ufb06'],
]);

/** The case-folded text, for comparisons only. It has the same length in UTF-16 units. */
export function foldCase(text: string): string {
  if (!UNUSUAL_CASE.test(text)) return text.toLowerCase();
  let folded = '';
  for (const character of text) folded += foldCharacter(character);
  return folded;
}

function foldCharacter(character: string): string {
  if (character < '\x80') return character.toLowerCase();
  const exception = EXCEPTIONS.get(character);
  if (exception !== undefined) return exception;
  const upper = character.toUpperCase();
  const base = upper.length === character.length ? upper : character;
  const lower = base.toLowerCase();
  return lower.length === base.length ? lower : base;
}

/** No character from here on has a case variant. */
const END = 0x1_e944;

interface CaseVariants {
  /** Every code point with a case variant, ascending. */
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
  const variantsOf = new Map<number, readonly number[]>();
  for (const group of groups.values()) {
    if (group.length === 1) continue;
    for (const codePoint of group) {
      variantsOf.set(
        codePoint,
        group.filter((other) => other !== codePoint),
      );
    }
  }
  return { cased: [...variantsOf.keys()].sort((a, b) => a - b), variantsOf };
}

// Constant data, found on first use.
let found: CaseVariants | undefined;

/** Finds the data now: it takes tens of milliseconds, which then need not be spent together with other work. */
export function prepareCaseVariants(): void {
  found ??= findCaseVariants();
}

/** The letters of ASCII that have a twin outside: k the kelvin sign, s the long s. */
const TWINS_OF_ASCII: ReadonlyMap<number, number> = new Map([
  [0x6b, 0x212a],
  [0x73, 0x17f],
]);

/** The code points that differ from this one only in case, in no order. ASCII needs no `prepareCaseVariants`. */
export function caseVariantsOf(codePoint: number): readonly number[] {
  if (codePoint < 0x80) return variantsOfAscii(codePoint);
  found ??= findCaseVariants();
  return found.variantsOf.get(codePoint) ?? NONE;
}

const NONE: readonly never[] = [];
const CASE_BIT = 0x20;

function variantsOfAscii(codePoint: number): readonly number[] {
  const lower = codePoint | CASE_BIT;
  if (lower < 0x61 || lower > 0x7a) return NONE;
  const twin = TWINS_OF_ASCII.get(lower);
  return twin === undefined ? [codePoint ^ CASE_BIT] : [codePoint ^ CASE_BIT, twin];
}

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

/** The first position in an ascending list from which on `isAfter` holds. */
function firstWhere<T>(list: readonly T[], isAfter: (entry: T) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAfter(list[middle] as T)) high = middle;
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
  const { cased, variantsOf } = found;
  const own = merged(ranges);
  const variants = new Set<number>();
  for (const [first, last] of own) {
    for (let at = firstWhere(cased, (codePoint) => codePoint >= first); at < cased.length; at += 1) {
      const codePoint = cased[at] as number;
      if (codePoint > last) break;
      for (const variant of variantsOf.get(codePoint) ?? []) {
        if ((variant < first || variant > last) && !holds(own, variant)) variants.add(variant);
      }
    }
  }
  return [...own, ...[...variants].map((variant): CodePointRange => [variant, variant])];
}
