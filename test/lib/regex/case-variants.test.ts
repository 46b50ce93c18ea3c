import { expect, test } from 'vitest';
import { addCaseVariants } from '../../../src/lib/regex/case-variants.ts';
import type { CodePointRange } from '../../../src/lib/regex/code-point-ranges.ts';

const range = (characters: string): CodePointRange => [
  characters.codePointAt(0) ?? 0,
  characters.codePointAt(characters.length - 1) ?? 0,
];

const members = (ranges: readonly CodePointRange[]) =>
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
  expect(members(addCaseVariants([range(characters)]))).toEqual(all);
});

test('what is in the ranges already is not added again', () => {
  expect(addCaseVariants([range('Zz'), range('aa'), range('AY')])).toEqual([
    [0x41, 0x7a],
    [0x212a, 0x212a],
    [0x17f, 0x17f],
  ]);
});
