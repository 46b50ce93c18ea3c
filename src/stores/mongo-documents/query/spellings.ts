// All texts that fold alike, in their order: a set far too large to write down, but easy to walk through.
import { addCaseVariants } from '../../../lib/regex/case-variants.ts';

/** For each place of a text the characters that may stand there, ascending. */
export type CharacterChoices = readonly (readonly string[])[];

/** The choices for texts that fold like `text`. */
export function characterChoices(text: string): CharacterChoices {
  return [...text].map((character) => {
    const point = character.codePointAt(0) ?? 0;
    const points = addCaseVariants([[point, point]]).flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_, step) => first + step),
    );
    return points.sort((a, b) => a - b).map((code) => String.fromCodePoint(code));
  });
}

/** The first spelling that does not stand before `text` in the order of code points; undefined behind the last. */
export function nextSpellingFrom(choices: CharacterChoices, text: string): string | undefined {
  const given = [...text];
  for (const [at, members] of choices.entries()) {
    const character = given[at];
    if (character === undefined) return given.join('') + smallestSuffix(choices, at);
    const next = members.find((member) => codePointOf(member) >= codePointOf(character));
    if (next === undefined) return nextSpellingAfter(choices, given, at);
    if (next !== character) return given.slice(0, at).join('') + next + smallestSuffix(choices, at + 1);
  }
  return given.length === choices.length ? text : nextSpellingAfter(choices, given, choices.length);
}

/** The first spelling behind all that begin with the first `length` characters of `given`. */
function nextSpellingAfter(
  choices: CharacterChoices,
  given: readonly string[],
  length: number,
): string | undefined {
  for (let at = length - 1; at >= 0; at -= 1) {
    const own = codePointOf(given[at] as string);
    const next = choices[at]?.find((member) => codePointOf(member) > own);
    if (next !== undefined) return given.slice(0, at).join('') + next + smallestSuffix(choices, at + 1);
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
