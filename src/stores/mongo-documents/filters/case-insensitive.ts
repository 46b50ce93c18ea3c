// The two ways to ask the server for case-insensitive equality: a collation that matches more than needed, and a pattern
// with the exact characters of each position.
import { addCaseVariants } from '../../../lib/regex/case-variants.ts';
import type { AtomSequence } from '../patterns/atoms.ts';

/** Collation of the shadow indexes. It ignores accents too, so it matches a superset. */
export const CASE_INSENSITIVE_COLLATION = { locale: 'en', strength: 1 } as const;

/**
 * Characters that the collation keeps apart from one that folding joins them with: the server's collation knows no
 * letters that are newer than itself, and takes the Greek iota below a letter for an accent.
 */
const MISSED_BY_COLLATION =
  /\u0345|[\u019b\u0264\u026a\u0282\u0399\u03b9\u0412\u0414\u041e\u0421-\u0422\u042a\u0432\u0434\u043e\u0441-\u0442\u044a\u0462-\u0463\u10d0-\u10fa\u10fd-\u10ff\u1c80-\u1c8a\u1c90-\u1cba\u1cbd-\u1cbf\u1d8e\u1fbe\u2c2f\u2c5f\ua64a-\ua64b\ua794\ua7ae\ua7b8-\ua7dc\ua7f5-\ua7f6\u{104b0}-\u{104d3}\u{104d8}-\u{104fb}\u{10570}-\u{105bc}\u{10d50}-\u{10d65}\u{10d70}-\u{10d85}\u{16e40}-\u{16e7f}\u{16ea0}-\u{16ed3}\u{1e900}-\u{1e943}]/u;

const CASED = /\p{Changes_When_Casemapped}|\p{Changes_When_Casefolded}/u;

/** A longer text is matched by its beginning only. */
const MAX_PATTERN_CHARACTERS = 500;

/** Whether the collation matches every text that equals `text` case-insensitively. */
export function isCoveredByCollation(text: string): boolean {
  return !MISSED_BY_COLLATION.test(text);
}

/** True when no other text folds like `text`. */
export function isCaseless(text: string): boolean {
  return !CASED.test(text);
}

/** Matches what equals `text` case-insensitively; of a long text only its beginning, which is not exact. */
export function caseInsensitiveSequence(text: string): {
  readonly sequence: AtomSequence;
  readonly exact: boolean;
} {
  const characters = [...text];
  const exact = characters.length <= MAX_PATTERN_CHARACTERS;
  const sets = characters.slice(0, MAX_PATTERN_CHARACTERS).map((character) => ({
    kind: 'set' as const,
    ranges: addCaseVariants([[codePoint(character), codePoint(character)]]),
  }));
  return { sequence: [{ kind: 'start' }, ...sets, ...(exact ? [{ kind: 'end' as const }] : [])], exact };
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}
