// Spellings of a text: the texts that equal it ignoring case, in code point order. A skip scan through an index goes from one to
// the next.
import { caseVariantsOf } from '../../lib/regex/case-folding.ts';

/** The possible characters at each position of a text, ascending. */
export type CharacterChoices = readonly (readonly string[])[];

/** The choices for texts that equal, ignoring case, `text`. */
export function characterChoices(text: string): CharacterChoices {
  return [...text].map((character) => {
    const variants = caseVariantsOf(codePointOf(character));
    if (variants.length === 0) return [character];
    return [character, ...variants.map((code) => String.fromCodePoint(code))].sort(
      (a, b) => codePointOf(a) - codePointOf(b),
    );
  });
}

/**
 * The first spelling that is not less than `text` in code point order; undefined if there is none. With `isOpen` the choices are
 * those of a beginning, which any text may follow.
 */
export function nextSpellingFrom(
  choices: CharacterChoices,
  text: string,
  isOpen = false,
): string | undefined {
  const points = [...text];
  for (const [at, members] of choices.entries()) {
    const character = points[at];
    if (character === undefined) return points.join('') + smallestSuffix(choices, at);
    const next = members.find((member) => codePointOf(member) >= codePointOf(character));
    if (next === undefined) return nextSpellingAfter(choices, points, at);
    if (next !== character) return points.slice(0, at).join('') + next + smallestSuffix(choices, at + 1);
  }
  if (isOpen || points.length === choices.length) return text;
  return nextSpellingAfter(choices, points, choices.length);
}

/** The first spelling after all that begin with the first `length` characters of `given`. */
function nextSpellingAfter(
  choices: CharacterChoices,
  points: readonly string[],
  length: number,
): string | undefined {
  for (let at = length - 1; at >= 0; at -= 1) {
    const own = codePointOf(points[at] as string);
    const next = choices[at]?.find((member) => codePointOf(member) > own);
    if (next !== undefined) return points.slice(0, at).join('') + next + smallestSuffix(choices, at + 1);
  }
  return undefined;
}

function smallestSuffix(choices: CharacterChoices, from: number): string {
  return choices
    .slice(from)
    .map(([first]) => first)
    .join('');
}

function codePointOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
