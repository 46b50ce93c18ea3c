// Translates conditions on text: patterns, exact equality under a collation, and case-insensitive equality, for which the server
// is asked by a collation that matches more than needed, or by a pattern with the exact characters of each position.

import type { BSONRegExp } from 'mongodb';
import { addCaseVariants, foldCase } from '../../../lib/regex/case-folding.ts';
import type { Filter, FilterTest } from '../../filter.ts';
import { isObjectIdText, toBsonId } from '../bson/bson-conversion.ts';
import { parsePattern } from './parse-pattern.ts';
import { type AtomSequence, type AtomSequences, serverPattern, serverPatterns } from './server-pattern.ts';
import { dateOf, nonJsonForms, patternForm, storedForms } from './stored-values.ts';
import { hasNumericPart } from './translated-filter.ts';

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

/** Candidates, of which a matching value equals or matches one; with `exact`, nothing else matches. */
export interface CandidateValues {
  readonly values: readonly unknown[];
  readonly exact: boolean;
  /** Stored patterns, of which one may be equal as well. */
  readonly patterns?: readonly BSONRegExp[];
}

/** The client's pattern. */
export function candidatesByPattern(pattern: string, flags: string): CandidateValues {
  const { patterns, exact } = serverPatterns(parsePattern(pattern, flags));
  return { values: patterns, exact };
}

/** Text that is equal but for its case. */
export function candidatesIgnoringCase(text: string, isId: boolean): CandidateValues {
  const patterns = withPatterns(storedPatterns(text));
  if (isCaseless(text)) return { values: storedForms(text, isId), exact: true, ...patterns };
  const folded = foldCase(text);
  if (isObjectIdText(folded) && isId) return { values: [toBsonId(folded)], exact: true };
  const { sequence, exact } = caseInsensitiveSequence(text);
  return { values: [...patternValues([sequence]), ...otherForms(text)], exact, ...patterns };
}

/** The stored patterns that read as `text`. */
export function storedPatterns(text: string): readonly BSONRegExp[] {
  const form = patternForm(text);
  return form === undefined ? [] : [form];
}

/** What is sought besides values, where there is anything. */
export function withPatterns(patterns: readonly BSONRegExp[]): Pick<CandidateValues, 'patterns'> {
  return patterns.length === 0 ? {} : { patterns };
}

/** The values of other programs that read as `text`; ids and dates also where they only differ in case. */
export function otherForms(text: string): readonly unknown[] {
  const folded = foldCase(text);
  if (isObjectIdText(folded)) return [toBsonId(folded)];
  const date = dateOf(text.toUpperCase());
  if (date !== undefined) return [date];
  const forms = nonJsonForms(text);
  return forms.length > 0 ? forms : nonJsonForms(folded);
}

/** Exactly this text, also where a collation would take others for it. */
export function candidatesUnderCollation(text: string, isId: boolean): CandidateValues {
  const characters = [...text];
  if (characters.length > MAX_LITERAL_CHARACTERS) return { values: [], exact: false };
  const [own, ...others] = storedForms(text, isId);
  if (typeof own !== 'string') return { values: [own, ...others], exact: true };
  const patterns = withPatterns(storedPatterns(text));
  const literal: AtomSequence = [
    { kind: 'start' },
    ...characters.map((character) => {
      const point = character.codePointAt(0) ?? 0;
      return { kind: 'set' as const, ranges: [[point, point]] as const };
    }),
    { kind: 'end' },
  ];
  return { values: [...patternValues([literal]), ...others], exact: true, ...patterns };
}

const MAX_LITERAL_CHARACTERS = 1000;

function patternValues(sequences: AtomSequences): readonly BSONRegExp[] {
  return sequences.flatMap((sequence) => serverPattern(sequence) ?? []);
}

export interface TextEquality {
  readonly path: string;
  readonly text: string;
}

/** Those of text that has case at all. */
export function caseInsensitiveEqualities(filter: Filter): readonly TextEquality[] {
  if (filter.kind === 'and') return filter.filters.flatMap(caseInsensitiveEqualities);
  if (filter.kind !== 'field') return [];
  const { path, tests } = filter;
  if (hasNumericPart(path)) return [];
  return tests.flatMap((test) => (isCaseInsensitive(test) ? { path, text: test.value } : []));
}

/** Equalities of any kind that every match must meet: their text may be looked up by the collation too. */
export function textEqualities(filter: Filter): readonly TextEquality[] {
  if (filter.kind === 'and') return filter.filters.flatMap(textEqualities);
  if (filter.kind !== 'field') return [];
  const { path, tests } = filter;
  if (hasNumericPart(path)) return [];
  return tests.flatMap((test) =>
    test.kind === 'eq' && typeof test.value === 'string' ? { path, text: test.value } : [],
  );
}

/** The same filter, asking for the spellings that there are in place of any. */
export function withSpellings(
  filter: Filter,
  { path, text }: TextEquality,
  spellings: readonly string[],
): Filter {
  if (filter.kind === 'and') {
    return {
      kind: 'and',
      filters: filter.filters.map((part) => withSpellings(part, { path, text }, spellings)),
    };
  }
  if (filter.kind !== 'field' || filter.path !== path) return filter;
  // Ids and dates of other programs are found by the texts that they read as.
  const others = otherForms(text).length === 0 ? [] : [foldCase(text), text.toUpperCase(), text];
  const values = [...new Set([...spellings, ...others])];
  const tests = filter.tests.map(
    (test): FilterTest => (isCaseInsensitive(test) && test.value === text ? { kind: 'in', values } : test),
  );
  return { kind: 'field', path, tests };
}

function isCaseInsensitive(
  test: FilterTest,
): test is FilterTest & { readonly kind: 'eq'; readonly value: string } {
  return (
    test.kind === 'eq' &&
    test.caseInsensitive === true &&
    typeof test.value === 'string' &&
    !isCaseless(test.value)
  );
}
