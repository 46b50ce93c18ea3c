// All texts that fold alike, in their order: a set far too large to write down, but easy to walk through.
import { withTwins } from '../../../lib/regex-case.ts';

/** For each place of a text the characters that may stand there, ascending. */
export type Choices = readonly (readonly string[])[];

/** The choices for texts that fold like `text`. */
export function choicesOf(text: string): Choices {
  return [...text].map((character) => {
    const point = character.codePointAt(0) ?? 0;
    const points = withTwins([[point, point]]).flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_, step) => first + step),
    );
    return points.sort((a, b) => a - b).map((code) => String.fromCodePoint(code));
  });
}

/** The first spelling that does not stand before `text` in the order of code points; undefined behind the last. */
export function spellingFrom(choices: Choices, text: string): string | undefined {
  const given = [...text];
  for (const [at, members] of choices.entries()) {
    const character = given[at];
    if (character === undefined) return given.join('') + least(choices, at);
    const next = members.find((member) => codeOf(member) >= codeOf(character));
    if (next === undefined) return spellingAfter(choices, given, at);
    if (next !== character) return given.slice(0, at).join('') + next + least(choices, at + 1);
  }
  return given.length === choices.length ? text : spellingAfter(choices, given, choices.length);
}

/** The first spelling behind all that begin with the first `length` characters of `given`. */
function spellingAfter(choices: Choices, given: readonly string[], length: number): string | undefined {
  for (let at = length - 1; at >= 0; at -= 1) {
    const own = codeOf(given[at] as string);
    const next = choices[at]?.find((member) => codeOf(member) > own);
    if (next !== undefined) return given.slice(0, at).join('') + next + least(choices, at + 1);
  }
  return undefined;
}

function least(choices: Choices, from: number): string {
  return choices
    .slice(from)
    .map(([first]) => first)
    .join('');
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
