// Writes atom sequences as PCRE patterns that match alike whatever the server's Unicode version and options.
import { BSONRegExp } from 'mongodb';
import type { CodePointRange } from '../../../lib/regex/code-point-ranges.ts';
import {
  type AtomSequence,
  type AtomSequences,
  longestGaplessRun,
  matchesAnyCharacter,
  type PatternAtom,
  trimGaps,
} from './atoms.ts';

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
