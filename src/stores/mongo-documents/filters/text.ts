// Tests of text: by patterns, by equality whatever the case, and by equality where a collation blurs it.
import type { BSONRegExp } from 'mongodb';
import { foldText } from '../../../lib/fold.ts';
import { isObjectIdText, toBsonId } from '../bson/values.ts';
import { foldedSequence, isCaseless } from '../folding/folding.ts';
import type { Sequence, Sequences } from '../patterns/atoms.ts';
import { readPattern } from '../patterns/read.ts';
import { serverPattern, serverPatterns } from '../patterns/text.ts';
import { dateOf, foreignForms, patternForm } from './foreign-forms.ts';
import { storedForms } from './operands.ts';

/** Values to look for, one of which a matching value equals or matches; with `exact`, nothing else does. */
export interface Sought {
  readonly values: readonly unknown[];
  readonly exact: boolean;
  /** Stored patterns, of which one may be equal as well. */
  readonly patterns?: readonly BSONRegExp[];
}

/** The client's pattern. */
export function soughtByPattern(pattern: string, flags: string): Sought {
  const { patterns, exact } = serverPatterns(readPattern(pattern, flags));
  return { values: patterns, exact };
}

/** Text that is equal but for its case. */
export function soughtFolded(text: string, isId: boolean): Sought {
  const patterns = withPatterns(patternsOf(text));
  if (isCaseless(text)) return { values: storedForms(text, isId), exact: true, ...patterns };
  const folded = foldText(text);
  if (isObjectIdText(folded) && isId) return { values: [toBsonId(folded)], exact: true };
  const { sequence, exact } = foldedSequence(text);
  return { values: [...patternValues([sequence]), ...otherForms(text)], exact, ...patterns };
}

/** The stored patterns that read as `text`. */
export function patternsOf(text: string): readonly BSONRegExp[] {
  const form = patternForm(text);
  return form === undefined ? [] : [form];
}

/** What is sought besides values, where there is anything. */
export function withPatterns(patterns: readonly BSONRegExp[]): Pick<Sought, 'patterns'> {
  return patterns.length === 0 ? {} : { patterns };
}

/** The values of other programs that read as `text`; ids and dates also where they only differ in case. */
export function otherForms(text: string): readonly unknown[] {
  const folded = foldText(text);
  if (isObjectIdText(folded)) return [toBsonId(folded)];
  const date = dateOf(text.toUpperCase());
  if (date !== undefined) return [date];
  const forms = foreignForms(text);
  return forms.length > 0 ? forms : foreignForms(folded);
}

/** Exactly this text, also where a collation would take others for it. */
export function soughtUnderCollation(text: string, isId: boolean): Sought {
  const characters = [...text];
  if (characters.length > MOST) return { values: [], exact: false };
  const [own, ...others] = storedForms(text, isId);
  if (typeof own !== 'string') return { values: [own, ...others], exact: true };
  const patterns = withPatterns(patternsOf(text));
  const literal: Sequence = [
    { kind: 'start' },
    ...characters.map((character) => {
      const point = character.codePointAt(0) ?? 0;
      return { kind: 'set' as const, ranges: [[point, point]] as const };
    }),
    { kind: 'end' },
  ];
  return { values: [...patternValues([literal]), ...others], exact: true, ...patterns };
}

const MOST = 1000;

function patternValues(sequences: Sequences): readonly BSONRegExp[] {
  return sequences.flatMap((sequence) => serverPattern(sequence) ?? []);
}
