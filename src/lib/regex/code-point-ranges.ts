// Character classes as ranges of code points, written for RE2.

export type CodePointRange = readonly [first: number, last: number];

const LAST = 0x10_ffff;

const DIGITS: readonly CodePointRange[] = [[0x30, 0x39]];

const WORD: readonly CodePointRange[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];

/** Ignoring case, long s and the Kelvin sign are word characters too: they fold to s and k. */
const WORD_IGNORING_CASE: readonly CodePointRange[] = [...WORD, [0x17f, 0x17f], [0x212a, 0x212a]];

/** WhiteSpace and LineTerminator of ECMA-262, where RE2 knows five ASCII characters. */
const SPACE: readonly CodePointRange[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

const LINE_ENDS: readonly CodePointRange[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

/** The ranges of `\d`, `\w`, `\s` and, in upper case, what they leave out; undefined for any other letter. */
export function shorthandRanges(letter: string, ignoreCase: boolean): readonly CodePointRange[] | undefined {
  switch (letter) {
    case 'd':
      return DIGITS;
    case 'D':
      return complementRanges(DIGITS);
    case 'w':
      return ignoreCase ? WORD_IGNORING_CASE : WORD;
    case 'W':
      return complementRanges(ignoreCase ? WORD_IGNORING_CASE : WORD);
    case 's':
      return SPACE;
    case 'S':
      return complementRanges(SPACE);
    default:
      return undefined;
  }
}

/** What `.` matches. */
export function dotRanges(matchesLineEnds: boolean): readonly CodePointRange[] {
  return complementRanges(matchesLineEnds ? [] : LINE_ENDS);
}

/** Ranges as they stand inside the brackets of a class. */
export function formatRanges(ranges: readonly CodePointRange[]): string {
  return ranges
    .map(([first, last]) =>
      first === last ? formatCodePoint(first) : `${formatCodePoint(first)}-${formatCodePoint(last)}`,
    )
    .join('');
}

/** A class of exactly these, also where case is ignored around it. */
export function formatClass(ranges: readonly CodePointRange[], ignoreCase: boolean): string {
  return exactly(`[${formatRanges(ranges)}]`, ignoreCase);
}

/** A class that lacks exactly these. */
export function formatNegatedClass(ranges: readonly CodePointRange[], ignoreCase: boolean): string {
  return exactly(`[^${formatRanges(ranges)}]`, ignoreCase);
}

const exactly = (text: string, ignoreCase: boolean) => (ignoreCase ? `(?-i:${text})` : text);

/** A code point that means itself, within a class and outside. */
export function formatCodePoint(codePoint: number): string {
  const character = String.fromCodePoint(codePoint);
  return /[0-9A-Za-z]/.test(character) ? character : `\\x{${codePoint.toString(16)}}`;
}

/** What `ranges` leave out. */
export function complementRanges(ranges: readonly CodePointRange[]): readonly CodePointRange[] {
  const gaps: CodePointRange[] = [];
  let next = 0;
  for (const [first, last] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (first > next) gaps.push([next, first - 1]);
    next = Math.max(next, last + 1);
  }
  if (next <= LAST) gaps.push([next, LAST]);
  return gaps;
}
