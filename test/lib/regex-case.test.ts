import { expect, test } from 'vitest';
import { withTwins } from '../../src/lib/regex-case.ts';
import type { Range } from '../../src/lib/regex-classes.ts';

const range = (characters: string): Range => [
  characters.codePointAt(0) ?? 0,
  characters.codePointAt(characters.length - 1) ?? 0,
];

const members = (ranges: readonly Range[]) =>
  ranges
    .flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, n) => first + n))
    .map((codePoint) => String.fromCodePoint(codePoint))
    .sort();

test.each([
  ['1', ['1']],
  ['ab', ['A', 'B', 'a', 'b']],
  ['kk', ['K', 'k', '\u212a']],
  ['\u017f\u017f', ['S', 's', '\u017f']],
  ['\ufb05\ufb05', ['\ufb05', '\ufb06']],
])('%s and its twins', (characters, all) => {
  expect(members(withTwins([range(characters)]))).toEqual(all);
});

test('what is in the ranges already is not added again', () => {
  expect(withTwins([range('Zz'), range('aa'), range('AY')])).toEqual([
    [0x41, 0x7a],
    [0x212a, 0x212a],
    [0x17f, 0x17f],
  ]);
});
