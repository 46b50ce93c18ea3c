// Spellings of a text: the texts that equal it ignoring case, in code point order or against it. A skip scan through an index goes
// from one to the next.
import { caseVariantsOf } from '../../lib/regex/case-folding.ts';
import type { Direction } from '../ports.ts';

export interface Spellings {
  /** The text has no case: it is its only spelling. */
  readonly isSingle: boolean;
  /** Only the beginning of the text counts: whatever follows it, a text that begins so is taken for a spelling. */
  readonly isOpen: boolean;
  /** The first of all. */
  readonly first: string;
  /** The first spelling that does not come before `text`; undefined if there is none. */
  from(text: string): string | undefined;
  /** The first spelling that comes after `text`; undefined if there is none. */
  after(text: string): string | undefined;
}

type Choices = readonly number[];

function choicesOf(codePoint: number): Choices {
  return [codePoint, ...caseVariantsOf(codePoint)].sort((a, b) => a - b);
}

const ASCII_CHOICES: readonly Choices[] = Array.from({ length: 0x80 }, (_, codePoint) =>
  choicesOf(codePoint),
);

/** A position in a text where a later character is possible, and that character. */
interface Increase {
  readonly at: number;
  /** Where it is in UTF-16 units. */
  readonly unit: number;
  readonly codePoint: number;
}

/** Whether all of a text counts, and the order of the spellings. */
interface SpellingOptions {
  readonly maxCharacters?: number;
  readonly direction?: Direction;
}

/** Creates the spellings of `text`, or of its first `maxCharacters`; for the direction -1 only of the whole text. */
export function createSpellings(
  text: string,
  { maxCharacters = Number.POSITIVE_INFINITY, direction = 1 }: SpellingOptions = {},
): Spellings {
  const isAscending = direction === 1;
  // The code points that may be at each position, in order; the first of all spellings; where its characters begin.
  const choices: Choices[] = [];
  let first = '';
  const offsets: number[] = [];
  let end = 0;
  while (end < text.length && choices.length < maxCharacters) {
    const own = text.codePointAt(end) ?? 0;
    const ascending = ASCII_CHOICES[own] ?? choicesOf(own);
    const codes = isAscending ? ascending : ascending.toReversed();
    choices.push(codes);
    offsets.push(first.length);
    first += String.fromCodePoint(codes[0] ?? own);
    end += own > 0xffff ? 2 : 1;
  }
  const isOpen = end < text.length;

  /** The first spelling that begins with `beginning`, whose characters are possible up to position `at`. */
  const complete = (beginning: string, at: number) =>
    at === choices.length ? beginning : beginning + first.slice(offsets[at]);

  const increase = (given: string, place: Increase | undefined) =>
    place && complete(given.slice(0, place.unit) + String.fromCodePoint(place.codePoint), place.at + 1);

  const seek = (given: string, isAfter: boolean): string | undefined => {
    let last: Increase | undefined;
    let unit = 0;
    for (let at = 0; at < choices.length; at += 1) {
      const code = given.codePointAt(unit);
      // A text comes after its own beginnings.
      if (code === undefined) return isAscending ? complete(given, at) : increase(given, last);
      const codes = choices[at] as Choices;
      if (code !== codes[codes.length - 1]) {
        const codePoint = codes.find((choice) => (isAscending ? choice > code : choice < code));
        if (codePoint !== undefined) last = { at, unit, codePoint };
        if (!codes.includes(code)) return increase(given, last);
      }
      unit += code > 0xffff ? 2 : 1;
    }
    if (isOpen || unit === given.length) return isAfter ? increase(given, last) : given;
    return isAscending ? increase(given, last) : given.slice(0, unit);
  };

  return {
    isSingle: choices.every((codes) => codes.length === 1),
    isOpen,
    first,
    from: (given) => seek(given, false),
    after: (given) => seek(given, true),
  };
}
