// Builds the server's patterns of atom sequences: the subset of regular expressions that the server may run, as it needs no
// backtracking.

import { BSONRegExp } from 'mongodb';
import { type CodePointRange, complementRanges } from '../../../lib/regex/code-point-ranges.ts';

export type PatternAtom =
  /** One character out of these. */
  | { readonly kind: 'set'; readonly ranges: readonly CodePointRange[] }
  /** Positions: of the whole text, of a line (only the line feed ends one), of a word. */
  | { readonly kind: 'start' | 'end' | 'lineStart' | 'lineEnd' | 'boundary' | 'noBoundary' }
  /** Unknown text: `nothing` if it may be empty, `anything` if it may be any text. */
  | { readonly kind: 'gap'; readonly nothing: boolean; readonly anything: boolean };

export type AtomSequence = readonly PatternAtom[];

/** Alternatives. */
export type AtomSequences = readonly AtomSequence[];

const MAX_SEQUENCES = 32;
const MAX_ATOMS = 1000;

/** Something that is not written out. */
export const UNKNOWN: AtomSequences = [[{ kind: 'gap', nothing: false, anything: false }]];

/** The alternatives, or a gap in their place where they are too many. */
function bounded(sequences: AtomSequences): AtomSequences {
  const atoms = sequences.reduce((sum, sequence) => sum + sequence.length, 0);
  return sequences.length > MAX_SEQUENCES || atoms > MAX_ATOMS ? UNKNOWN : sequences;
}

/** Either. */
export function alternatives(a: AtomSequences, b: AtomSequences): AtomSequences {
  return bounded([...a, ...b]);
}

/** One after the other. */
export function concat(a: AtomSequences, b: AtomSequences): AtomSequences {
  if (a.length * b.length > MAX_SEQUENCES) {
    // Keeps the longer part: it is more selective than two gaps.
    return a.length > b.length ? concat(UNKNOWN, b) : concat(a, UNKNOWN);
  }
  return bounded(a.flatMap((before) => b.map((after) => [...before, ...after])));
}

/** `least` to `most` times; `most` may be infinite. */
export function repeat(part: AtomSequences, min: number, max: number): AtomSequences {
  let result: AtomSequences = [[]];
  for (let count = 0; count < Math.min(min, MAX_ATOMS + 1); count += 1) result = concat(result, part);
  if (max === Infinity) return concat(result, unbounded(part));
  let optional: AtomSequences = [[]];
  for (let count = min; count < Math.min(max, min + MAX_SEQUENCES); count += 1) {
    optional = alternatives([[]], concat(part, optional));
  }
  return concat(result, optional);
}

function unbounded(part: AtomSequences): AtomSequences {
  const [only] = part;
  const [atom] = only ?? [];
  const isEvery =
    part.length === 1 && only?.length === 1 && atom?.kind === 'set' && matchesAnyCharacter(atom.ranges);
  return [[{ kind: 'gap', nothing: true, anything: isEvery }]];
}

/** True where a set leaves no character out. */
export function matchesAnyCharacter(ranges: readonly CodePointRange[]): boolean {
  return complementRanges(ranges).length === 0;
}

/** A sequence without the gaps that its ends do not need, as it is looked for anywhere in a text. */
export function trimGaps(sequence: AtomSequence): AtomSequence {
  return trimGapsAtStart(trimGapsAtStart(sequence, 'start').toReversed(), 'end').toReversed();
}

function trimGapsAtStart(sequence: AtomSequence, edge: 'start' | 'end'): AtomSequence {
  let at = 0;
  for (;;) {
    const [first, second] = [sequence[at], sequence[at + 1]];
    if (first?.kind === 'gap' && first.nothing) at += 1;
    else if (first?.kind === edge && second?.kind === 'gap' && second.anything) at += 2;
    else return sequence.slice(at);
  }
}

/** The longest part without a gap: every text that `sequence` matches has it. */
export function longestGaplessRun(sequence: AtomSequence): AtomSequence {
  let longest: AtomSequence = [];
  let run: PatternAtom[] = [];
  for (const atom of sequence) {
    run = atom.kind === 'gap' ? [] : [...run, atom];
    if (run.length > longest.length) longest = run;
  }
  return longest;
}

const WORD = '[0-9A-Za-z_]';

const ASSERTIONS = {
  start: '\\A',
  end: '\\z',
  lineStart: '(?<![^\\x{a}])',
  lineEnd: '(?![^\\x{a}])',
  boundary: `(?:(?<=${WORD})(?!${WORD})|(?<!${WORD})(?=${WORD}))`,
  noBoundary: `(?:(?<=${WORD})(?=${WORD})|(?<!${WORD})(?!${WORD}))`,
} as const;

/** The server takes no pattern much longer than this. */
const MAX_PATTERN_CHARACTERS = 20_000;

export interface ServerPatterns {
  /** A text that the client's pattern matches is matched by one of these. */
  readonly patterns: readonly BSONRegExp[];
  /** And nothing else is. */
  readonly exact: boolean;
}

/** The patterns that the server can evaluate in place of `sequences`. */
export function serverPatterns(sequences: AtomSequences): ServerPatterns {
  const texts = new Set<string>();
  let exact = true;
  for (const sequence of sequences) {
    const whole = trimGaps(sequence);
    const plain = longestGaplessRun(whole);
    exact &&= plain.length === whole.length;
    const text = writeSequence(plain);
    if (text === undefined) continue;
    if (text.length > MAX_PATTERN_CHARACTERS) return { patterns: [regex('')], exact: false };
    texts.add(text);
  }
  return { patterns: [...texts].map(regex), exact };
}

/** The pattern of one sequence that has no gap; undefined where no text can match. */
export function serverPattern(sequence: AtomSequence): BSONRegExp | undefined {
  const text = writeSequence(sequence);
  return text === undefined ? undefined : regex(text);
}

function regex(text: string): BSONRegExp {
  return new BSONRegExp(text, '');
}

function writeSequence(sequence: AtomSequence): string | undefined {
  const written = sequence.map(writeAtom);
  return written.includes(undefined) ? undefined : written.join('');
}

function writeAtom(atom: PatternAtom): string | undefined {
  if (atom.kind === 'gap') return undefined;
  if (atom.kind !== 'set') return ASSERTIONS[atom.kind];
  if (matchesAnyCharacter(atom.ranges)) return '(?s:.)';
  const ranges = atom.ranges.flatMap(withoutSurrogates);
  const [range] = ranges;
  if (range === undefined) return undefined;
  if (ranges.length === 1 && range[0] === range[1]) return writeCharacter(range[0]);
  return `[${ranges.map(writeRange).join('')}]`;
}

/** The database stores no lone surrogates, and rejects patterns that contain them. */
function withoutSurrogates([first, last]: CodePointRange): readonly CodePointRange[] {
  const parts: CodePointRange[] = [
    [first, Math.min(last, 0xd7ff)],
    [Math.max(first, 0xe000), last],
  ];
  return parts.filter(([low, high]) => low <= high);
}

function writeRange([first, last]: CodePointRange): string {
  return first === last ? hex(first) : `${hex(first)}-${hex(last)}`;
}

function hex(codePoint: number): string {
  return `\\x{${codePoint.toString(16)}}`;
}

/** As itself where that is safe: an index is narrowed by the characters that a pattern begins with. */
function writeCharacter(codePoint: number): string {
  const character = String.fromCodePoint(codePoint);
  if (/[0-9A-Za-z]/.test(character) || codePoint >= 0xa0) return character;
  return codePoint > 0x20 && codePoint < 0x7f ? `\\${character}` : hex(codePoint);
}
