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
  const down = createSpellings('ks1', { direction: -1 });
  const back: string[] = [];
  for (let next: string | undefined = down.first; next !== undefined; next = down.after(next))
    back.push(next);
  expect(back).toEqual(walked.toReversed());
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
        const ordered = all.sort(compareText);
        const at = (spelling: string) => compareText(spelling, from);
        const up = createSpellings(text);
        expect(up.from(from)).toBe(ordered.find((one) => at(one) >= 0));
        expect(up.after(from)).toBe(ordered.find((one) => at(one) > 0));
        const down = createSpellings(text, { direction: -1 });
        expect(down.first).toBe(ordered.at(-1));
        expect(down.from(from)).toBe(ordered.findLast((one) => at(one) <= 0));
        expect(down.after(from)).toBe(ordered.findLast((one) => at(one) < 0));
      },
    ),
    { numRuns: 2000 },
  );
});

it('whatever follows the beginning that counts is part of a spelling', () => {
  const spellings = createSpellings('abc', { maxCharacters: 2 });
  expect(spellings.isOpen).toBe(true);
  expect(spellings.from('aBx')).toBe('aBx');
  expect(spellings.from('aA')).toBe('aB');
  expect(spellings.from('ac')).toBeUndefined();
  expect(createSpellings('ab', { maxCharacters: 2 }).from('aBx')).toBe('ab');
});
