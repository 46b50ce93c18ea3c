import { expect, test } from 'vitest';
import {
  dotRanges,
  formatCodePoint,
  formatRanges,
  shorthandRanges,
} from '../../../src/lib/regex/code-point-ranges.ts';

test('only letters and digits are written unescaped in a character class', () => {
  expect(formatCodePoint(0x61)).toBe('a');
  expect(formatCodePoint(0x5d)).toBe('\\x{5d}');
  expect(formatCodePoint(0x1f600)).toBe('\\x{1f600}');
});

test('code point ranges are written as the inside of a character class', () => {
  expect(
    formatRanges([
      [0x30, 0x39],
      [0x2d, 0x2d],
    ]),
  ).toBe('0-9\\x{2d}');
});

test('a shorthand class and its negation have each character in exactly one', () => {
  for (const letter of ['d', 'w', 's']) {
    const both = [...shorthandRanges(letter, true)!, ...shorthandRanges(letter.toUpperCase(), true)!];
    const sorted = both.sort((a, b) => a[0] - b[0]);
    expect(sorted[0]![0]).toBe(0);
    expect(sorted.at(-1)![1]).toBe(0x10ffff);
    for (const [at, range] of sorted.slice(1).entries()) expect(range[0]).toBe(sorted[at]![1] + 1);
  }
  expect(shorthandRanges('q', false)).toBeUndefined();
});

test('a dot is every code point, or every one but the four line ends', () => {
  expect(formatRanges(dotRanges(true))).toBe('\\x{0}-\\x{10ffff}');
  expect(formatRanges(dotRanges(false))).toBe(
    '\\x{0}-\\x{9}\\x{b}-\\x{c}\\x{e}-\\x{2027}\\x{202a}-\\x{10ffff}',
  );
});
