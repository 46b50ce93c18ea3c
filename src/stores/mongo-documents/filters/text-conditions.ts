// Translates conditions on text: patterns, case-insensitive equality, and exact equality under a collation.
import type { BSONRegExp } from 'mongodb';
import { foldCase } from '../../../lib/case-folding.ts';
import { isObjectIdText, toBsonId } from '../bson/json-to-bson.ts';
import type { AtomSequence, AtomSequences } from '../patterns/atoms.ts';
import { parsePattern } from '../patterns/parse-pattern.ts';
import { serverPattern, serverPatterns } from '../patterns/server-pattern.ts';
import { caseInsensitiveSequence, isCaseless } from './case-insensitive.ts';
import { dateOf, nonJsonForms, patternForm } from './non-json-values.ts';
import { storedForms } from './stored-values.ts';

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
