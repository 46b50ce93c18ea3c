import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addCaseVariants, caseVariantsOf, foldCase } from '../../../src/lib/regex/case-folding.ts';
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
])('the case variants of %s are found', (characters, all) => {
  expect(members(addCaseVariants([range(characters)]))).toEqual(all);
});

test('the case variants of a character are those of a range with it alone', () => {
  for (let point = 0; point < 0x600; point += 1) {
    const own = String.fromCodePoint(point);
    const variants = caseVariantsOf(point).map((code) => String.fromCodePoint(code));
    expect([own, ...variants].sort()).toEqual(members(addCaseVariants([[point, point]])));
  }
});

test('case variants that the ranges contain are not added again', () => {
  expect(addCaseVariants([range('Zz'), range('aa'), range('AY')])).toEqual([
    [0x41, 0x7a],
    [0x212a, 0x212a],
    [0x17f, 0x17f],
  ]);
});

/** Any code point, lone surrogates too: the unit `binary` of fast-check takes two seconds to build. */
const codePoint = fc.integer({ min: 0, max: 0x10_ffff }).map((point) => String.fromCodePoint(point));

const LAST = 0x10_ffff;

function everyCharacter(): string[] {
  const all: string[] = [];
  for (let codePoint = 0; codePoint <= LAST; codePoint += 1) {
    if (codePoint < 0xd800 || codePoint > 0xdfff) all.push(String.fromCodePoint(codePoint));
  }
  return all;
}

const ALL = everyCharacter();
/** Each character folded by itself. */
const FOLDED = ALL.map((character) => foldCase(character));

const escapeAll = (characters: readonly string[]) =>
  characters.map((character) => `\\u{${character.codePointAt(0)!.toString(16)}}`).join('');

test('two characters fold to one exactly where a pattern that ignores case takes one for the other', () => {
  const everything = ALL.join('');
  // Characters with a case, by this runtime's own tables and by folding.
  const cased = ALL.filter(
    (character, at) =>
      character.toUpperCase() !== character ||
      character.toLowerCase() !== character ||
      FOLDED[at] !== character,
  );
  // No other character has a partner.
  expect(everything.match(new RegExp(`[${escapeAll(cased)}]`, 'giu'))).toEqual(cased);
  const byFold = Map.groupBy(cased, foldCase);
  const pool = cased.join('');
  const wrong = cased.filter((character) => {
    const partners = pool.match(new RegExp(escapeAll([character]), 'giu')) ?? [];
    return partners.join('') !== byFold.get(foldCase(character))!.join('');
  });
  expect(wrong).toEqual([]);
});

test('case folding keeps the length, and folding twice changes nothing more', () => {
  const longer = ALL.filter((character, at) => FOLDED[at]?.length !== character.length);
  expect(longer).toEqual([]);
  const changed = FOLDED.filter((folded, at) => folded !== ALL[at]);
  expect(changed.filter((folded) => foldCase(folded) !== folded)).toEqual([]);
  expect(changed.length).toBeGreaterThan(1000);
});

test('a character is case-folded independently of its neighbours', () => {
  const intricate = fc.constantFrom('Σ', 'İ', 'ſ', 'ı', 'I', '\u0307', 'µ', 'A', ' ', 'É', 'Ж', '語');
  const text = fc.oneof(fc.string({ unit: intricate }), fc.string({ unit: codePoint }));
  fc.assert(fc.property(text, text, (a, b) => foldCase(a + b) === foldCase(a) + foldCase(b)));
});

test.each([
  ['Straße', 'STRAẞE', true],
  ['strasse', 'straße', false],
  ['\u212a', 'k', true],
  ['ſ', 'S', true],
  ['ΟΔΟΣ', 'οδος', true],
  ['οδοσ', 'οδος', true],
  ['I', 'i', true],
  ['ı', 'I', false],
  ['İ', 'i', false],
  ['ǅ', 'Ǆ', true],
  ['Ꭰ', 'ꭰ', true],
  ['\u{10400}', '\u{10428}', true],
  ['\u1fd3', '\u0390', true],
  ['\u1fe3', '\u03b0', true],
  ['ﬅ', 'ﬆ', true],
  ['É', 'é', true],
  ['é', 'e\u0301', false],
  ['', '', true],
  ['A\0B', 'a\0b', true],
])('case folding makes %j and %j equal: %j', (a, b, equal) => {
  expect(foldCase(a) === foldCase(b)).toBe(equal);
});
