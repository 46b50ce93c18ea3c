// Spellings of a text: the texts that equal it ignoring case, in code point order. A skip scan through an index goes from one to
// the next.
import { caseVariantsOf } from '../../lib/regex/case-folding.ts';

export interface Spellings {
  /** The text has no case: it is its only spelling. */
  readonly isSingle: boolean;
  /** Only the beginning of the text counts: whatever follows it, a text that begins so is taken for a spelling. */
  readonly isOpen: boolean;
  /** The first spelling that is not less than `text`; undefined if there is none. */
  from(text: string): string | undefined;
}

type Choices = readonly number[];

function choicesOf(codePoint: number): Choices {
  return [codePoint, ...caseVariantsOf(codePoint)].sort((a, b) => a - b);
}

const ASCII_CHOICES: readonly Choices[] = Array.from({ length: 0x80 }, (_, codePoint) =>
  choicesOf(codePoint),
);

/** A position in a text where a greater character is possible, and that character. */
interface Increase {
  readonly at: number;
  /** Where it is in UTF-16 units. */
  readonly unit: number;
  readonly codePoint: number;
}

/** Creates the spellings of `text`, or of its first `maxCharacters`. */
export function createSpellings(text: string, maxCharacters = Number.POSITIVE_INFINITY): Spellings {
  // The code points that may be at each position, ascending; the first of all spellings; where its characters begin.
  const choices: Choices[] = [];
  let first = '';
  const offsets: number[] = [];
  let end = 0;
  while (end < text.length && choices.length < maxCharacters) {
    const own = text.codePointAt(end) ?? 0;
    const codes = ASCII_CHOICES[own] ?? choicesOf(own);
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

  const from = (given: string): string | undefined => {
    let last: Increase | undefined;
    let unit = 0;
    for (let at = 0; at < choices.length; at += 1) {
      const code = given.codePointAt(unit);
      if (code === undefined) return complete(given, at);
      const codes = choices[at] as Choices;
      if (code !== codes[codes.length - 1]) {
        const codePoint = codes.find((choice) => choice > code);
        if (codePoint !== undefined) last = { at, unit, codePoint };
        if (!codes.includes(code)) return increase(given, last);
      }
      unit += code > 0xffff ? 2 : 1;
    }
    return isOpen || unit === given.length ? given : increase(given, last);
  };

  return { isSingle: choices.every((codes) => codes.length === 1), isOpen, from };
}
