// The patterns that a server may run: plain sequences of characters, each one of a set, without anything to backtrack over.
import { complement, type Range } from '../../../lib/regex-classes.ts';

export type Atom =
  /** One character out of these. */
  | { readonly kind: 'set'; readonly ranges: readonly Range[] }
  /** Places: of the whole text, of a line (only the line feed ends one), between a word and what is none. */
  | { readonly kind: 'start' | 'end' | 'lineStart' | 'lineEnd' | 'boundary' | 'noBoundary' }
  /** What is not said more closely: it may be `nothing` at all, or `anything`. */
  | { readonly kind: 'gap'; readonly nothing: boolean; readonly anything: boolean };

export type Sequence = readonly Atom[];

/** Alternatives. */
export type Sequences = readonly Sequence[];

const MOST_SEQUENCES = 32;
const MOST_ATOMS = 1000;

/** Something that is not written out. */
export const UNKNOWN: Sequences = [[{ kind: 'gap', nothing: false, anything: false }]];

/** The alternatives, or a gap in their place where they are too many. */
function bounded(sequences: Sequences): Sequences {
  const atoms = sequences.reduce((sum, sequence) => sum + sequence.length, 0);
  return sequences.length > MOST_SEQUENCES || atoms > MOST_ATOMS ? UNKNOWN : sequences;
}

/** Either. */
export function eitherOf(a: Sequences, b: Sequences): Sequences {
  return bounded([...a, ...b]);
}

/** One after the other. */
export function follow(a: Sequences, b: Sequences): Sequences {
  if (a.length * b.length > MOST_SEQUENCES) {
    // The longer part says more than two gaps would.
    return a.length > b.length ? follow(UNKNOWN, b) : follow(a, UNKNOWN);
  }
  return bounded(a.flatMap((before) => b.map((after) => [...before, ...after])));
}

/** `least` to `most` times; `most` may be infinite. */
export function repeat(part: Sequences, least: number, most: number): Sequences {
  let result: Sequences = [[]];
  for (let count = 0; count < Math.min(least, MOST_ATOMS + 1); count += 1) result = follow(result, part);
  if (most === Infinity) return follow(result, endless(part));
  let optional: Sequences = [[]];
  for (let count = least; count < Math.min(most, least + MOST_SEQUENCES); count += 1) {
    optional = eitherOf([[]], follow(part, optional));
  }
  return follow(result, optional);
}

function endless(part: Sequences): Sequences {
  const [only] = part;
  const [atom] = only ?? [];
  const isEvery = part.length === 1 && only?.length === 1 && atom?.kind === 'set' && hasEvery(atom.ranges);
  return [[{ kind: 'gap', nothing: true, anything: isEvery }]];
}

/** True where a set leaves no character out. */
export function hasEvery(ranges: readonly Range[]): boolean {
  return complement(ranges).length === 0;
}

/** A sequence without the gaps that its ends do not need, as it is looked for anywhere in a text. */
export function trimmed(sequence: Sequence): Sequence {
  return trimmedStart(trimmedStart(sequence, 'start').toReversed(), 'end').toReversed();
}

function trimmedStart(sequence: Sequence, edge: 'start' | 'end'): Sequence {
  let at = 0;
  for (;;) {
    const [first, second] = [sequence[at], sequence[at + 1]];
    if (first?.kind === 'gap' && first.nothing) at += 1;
    else if (first?.kind === edge && second?.kind === 'gap' && second.anything) at += 2;
    else return sequence.slice(at);
  }
}

/** The longest part without a gap: every text that `sequence` matches has it. */
export function longestRun(sequence: Sequence): Sequence {
  let longest: Sequence = [];
  let run: Atom[] = [];
  for (const atom of sequence) {
    run = atom.kind === 'gap' ? [] : [...run, atom];
    if (run.length > longest.length) longest = run;
  }
  return longest;
}
