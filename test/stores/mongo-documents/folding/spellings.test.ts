import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareText } from '../../../../src/stores/matching/compare.ts';
import { choicesOf, spellingFrom } from '../../../../src/stores/mongo-documents/folding/spellings.ts';

it('walks through all spellings in order', () => {
  const choices = choicesOf('ks1');
  const walked: string[] = [];
  for (let next = spellingFrom(choices, ''); next !== undefined; next = spellingFrom(choices, `${next}\0`))
    walked.push(next);
  expect(walked).toEqual(['KS1', 'Ks1', 'Kſ1', 'kS1', 'ks1', 'kſ1', '\u212aS1', '\u212as1', '\u212aſ1']);
});

it('finds the first spelling from any text on', () => {
  const unit = fc.constantFrom('A', 'a', 'B', 'b', 'K', 'k', '\u212a', '0', '~', '😀');
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'b', 'k'), maxLength: 4 }),
      fc.string({ unit, maxLength: 5 }),
      (text, from) => {
        const choices = choicesOf(text);
        const all = choices.reduce<string[]>(
          (some, members) => some.flatMap((one) => members.map((member) => one + member)),
          [''],
        );
        const expected = all.filter((spelling) => compareText(spelling, from) >= 0).sort(compareText)[0];
        expect(spellingFrom(choices, from)).toBe(expected);
      },
    ),
    { numRuns: 1000 },
  );
});
