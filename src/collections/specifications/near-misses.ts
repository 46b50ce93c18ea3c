// Members of a specification that nobody reads, but that look like ones that are read: a slip in `storeRevisions` would cost the
// history. Other unknown members are left alone: people keep labels and hints for their own programs there.
import { distance } from 'fastest-levenshtein';
import type { JsonObject } from '../../lib/json/json.ts';
import type { IssueCollector } from './issue-collector.ts';

const MAX_SHOWN_CHARACTERS = 100;
const MAX_SLIPS = 2;

/** Whether two neighbouring characters are in the wrong order, which counts as one slip. */
function isSwapped(name: string, meant: string): boolean {
  if (name.length !== meant.length) return false;
  const at = [...name].findIndex((letter, index) => letter !== meant[index]);
  return at >= 0 && name.slice(0, at) + name[at + 1] + name[at] + name.slice(at + 2) === meant;
}

function isNear(name: string, meant: string): boolean {
  if (Math.abs(name.length - meant.length) > MAX_SLIPS) return false;
  const a = name.toLowerCase();
  const b = meant.toLowerCase();
  // One slip for each three letters: `style` is not `type`.
  return (
    a === b ||
    isSwapped(a, b) ||
    distance(a, b) <= Math.min(MAX_SLIPS, Math.floor(Math.max(a.length, b.length) / 3))
  );
}

/** The known name that is probably meant by another one. */
export function findMeantName(name: string, known: readonly string[]): string | undefined {
  if (known.includes(name)) return undefined;
  return known.find((meant) => isNear(name, meant));
}

/** Warns, at the part `field`, of each member of `source` that is nearly one of `known`. */
export function warnNearMisses(
  report: Pick<IssueCollector, 'warn' | 'mayCompare'>,
  field: string,
  source: JsonObject,
  known: readonly string[],
): void {
  for (const name of Object.keys(source)) {
    if (known.includes(name)) continue;
    if (!report.mayCompare()) return;
    const meant = findMeantName(name, known);
    if (meant === undefined) continue;
    const shown = name.slice(0, MAX_SHOWN_CHARACTERS);
    report.warn(field, `\`${shown}\` has no effect: did you mean \`${meant}\`?`);
  }
}
