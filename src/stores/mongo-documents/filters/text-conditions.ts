// Translates conditions on text: patterns, and equality without case, for which the server is asked by a pattern with the exact
// characters of each position, or by the stored spellings.

import type { BSONRegExp } from 'mongodb';
import { addCaseVariants, foldCase } from '../../../lib/regex/case-folding.ts';
import type { Filter, FilterTest } from '../../filter.ts';
import { isObjectIdText, toBsonId } from '../bson/bson-conversion.ts';
import { parsePattern } from './parse-pattern.ts';
import { type AtomSequence, serverPattern, serverPatterns } from './server-pattern.ts';
import { dateOf, nonJsonForms, patternForm, storedForms } from './stored-values.ts';
import { hasNumericPart } from './translated-filter.ts';

const CASED = /\p{Changes_When_Casemapped}|\p{Changes_When_Casefolded}/u;

/** A longer text is matched by its beginning only. */
const MAX_PATTERN_CHARACTERS = 500;

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
  const pattern = serverPattern(sequence);
  return { values: [...(pattern === undefined ? [] : [pattern]), ...otherForms(text)], exact, ...patterns };
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
