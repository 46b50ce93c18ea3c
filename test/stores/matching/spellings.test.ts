import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareText } from '../../../src/stores/matching/compare.ts';
import { characterChoices, nextSpellingFrom } from '../../../src/stores/matching/spellings.ts';

it('nextSpellingFrom enumerates all spellings in order', () => {
  const choices = characterChoices('ks1');
  const walked: string[] = [];
  for (
    let next = nextSpellingFrom(choices, '');
    next !== undefined;
    next = nextSpellingFrom(choices, `${next}\0`)
  )
    walked.push(next);
  expect(walked).toEqual(['KS1', 'Ks1', 'Kſ1', 'kS1', 'ks1', 'kſ1', '\u212aS1', '\u212as1', '\u212aſ1']);
});

it('nextSpellingFrom finds the first spelling from any text on', () => {
  const unit = fc.constantFrom('A', 'a', 'B', 'b', 'K', 'k', '\u212a', '0', '~', '😀');
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'b', 'k'), maxLength: 4 }),
      fc.string({ unit, maxLength: 5 }),
      (text, from) => {
        const choices = characterChoices(text);
        const all = choices.reduce<string[]>(
          (some, members) => some.flatMap((one) => members.map((member) => one + member)),
          [''],
        );
        const expected = all.filter((spelling) => compareText(spelling, from) >= 0).sort(compareText)[0];
        expect(nextSpellingFrom(choices, from)).toBe(expected);
      },
    ),
    { numRuns: 1000 },
  );
});

it('nextSpellingFrom takes whatever follows an open beginning', () => {
  const choices = characterChoices('ab');
  expect(nextSpellingFrom(choices, 'aBx', true)).toBe('aBx');
  expect(nextSpellingFrom(choices, 'aBx')).toBe('ab');
  expect(nextSpellingFrom(choices, 'ac', true)).toBeUndefined();
});
