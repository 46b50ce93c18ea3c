import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addCaseVariants } from '../../../src/lib/regex/case-folding.ts';
import { compareText } from '../../../src/stores/matching/compare.ts';
import { createSpellings } from '../../../src/stores/matching/spellings.ts';

it('all spellings of a text are enumerated in order', () => {
  const spellings = createSpellings('ks1');
  const walked: string[] = [];
  for (let next = spellings.from(''); next !== undefined; next = spellings.from(`${next}\0`))
    walked.push(next);
  expect(walked).toEqual(['KS1', 'Ks1', 'Kſ1', 'kS1', 'ks1', 'kſ1', '\u212aS1', '\u212as1', '\u212aſ1']);
  expect(spellings).toMatchObject({ isSingle: false, isOpen: false });
  expect(createSpellings('1-2').isSingle).toBe(true);
});

const variantsOf = (character: string) => {
  const point = character.codePointAt(0)!;
  return addCaseVariants([[point, point]]).map(([first]) => String.fromCodePoint(first));
};

it('the first spelling from any text on is found', () => {
  const unit = fc.constantFrom(
    'A',
    'a',
    'B',
    'b',
    'K',
    'k',
    '\u212a',
    '0',
    '~',
    '😀',
    '\u{10400}',
    '\u{10428}',
  );
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'b', 'k', '😀', '\u{10428}'), maxLength: 4 }),
      fc.string({ unit, maxLength: 5 }),
      (text, from) => {
        const all = [...text].reduce<string[]>(
          (some, character) => some.flatMap((one) => variantsOf(character).map((member) => one + member)),
          [''],
        );
        const expected = all.filter((spelling) => compareText(spelling, from) >= 0).sort(compareText)[0];
        expect(createSpellings(text).from(from)).toBe(expected);
      },
    ),
    { numRuns: 2000 },
  );
});

it('whatever follows the beginning that counts is part of a spelling', () => {
  const spellings = createSpellings('abc', 2);
  expect(spellings.isOpen).toBe(true);
  expect(spellings.from('aBx')).toBe('aBx');
  expect(spellings.from('aA')).toBe('aB');
  expect(spellings.from('ac')).toBeUndefined();
  expect(createSpellings('ab', 2).from('aBx')).toBe('ab');
});
