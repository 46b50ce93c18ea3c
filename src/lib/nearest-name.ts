// The known name that somebody probably meant by an unknown one, for messages.
import { distance } from 'fastest-levenshtein';

/** A longer name is no slip, and comparing it would take time. */
const MAX_NAME_CHARACTERS = 100;
const MAX_SLIPS = 2;

/** Whether two neighbouring characters are in the wrong order, which counts as one slip. */
function isSwapped(name: string, meant: string): boolean {
  if (name.length !== meant.length) return false;
  const at = [...name].findIndex((letter, index) => letter !== meant[index]);
  return at >= 0 && name.slice(0, at) + name[at + 1] + name[at] + name.slice(at + 2) === meant;
}

/** How many slips lead from one name to the other; undefined for more than are likely: `style` is not `type`. */
function countSlips(name: string, meant: string): number | undefined {
  if (Math.abs(name.length - meant.length) > MAX_SLIPS) return undefined;
  const a = name.toLowerCase();
  const b = meant.toLowerCase();
  if (a === b) return 0;
  if (isSwapped(a, b)) return 1;
  const slips = distance(a, b);
  // One slip for each three letters.
  return slips <= Math.min(MAX_SLIPS, Math.floor(Math.max(a.length, b.length) / 3)) ? slips : undefined;
}

/**
 * The name of `known` that is nearest to `name`, if it is near enough to be meant, the first of several. Undefined for a name that
 * is known. Give it only names that whoever reads the message may know.
 */
export function findNearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > MAX_NAME_CHARACTERS) return undefined;
  let nearest: { readonly meant: string; readonly slips: number } | undefined;
  for (const meant of known) {
    if (meant === name) return undefined;
    const slips = countSlips(name, meant);
    if (slips !== undefined && (nearest === undefined || slips < nearest.slips)) nearest = { meant, slips };
  }
  return nearest?.meant;
}

const MAX_SHOWN_CHARACTERS = 100;

/** A name of a request as messages show it: in backquotes, a long one shortened. */
export const quoteName = (name: string): string =>
  `\`${name.slice(0, MAX_SHOWN_CHARACTERS).toWellFormed()}\``;

/** `: did you mean …?` for the end of a message; empty where no name is near. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const meant = findNearestName(name, known);
  return meant === undefined ? '' : `: did you mean \`${meant}\`?`;
}
