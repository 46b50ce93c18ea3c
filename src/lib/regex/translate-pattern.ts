// Translates patterns from JavaScript's syntax (as under the flag `u`) to RE2's, and sizes them before the engine
// sees them. RE2 decides differently in two corners: under `m`, only the line feed ends a line, and under `i`, the
// long s and the Kelvin sign are no word characters for `\b`. Of classes in brackets every member is written anew, so that
// nothing in them means more to RE2 than to JavaScript.

import { addCaseVariants } from './case-folding.ts';
import {
  type CodePointRange,
  dotRanges,
  formatClass,
  formatCodePoint,
  formatNegatedClass,
  formatRanges,
} from './code-point-ranges.ts';
import {
  createPatternReader,
  type PatternEscape,
  type PatternReader,
  PROPERTY_INSTRUCTIONS,
  parseEscape,
  patternError,
} from './pattern-reader.ts';

/** The switches in force at a place of the pattern; groups such as `(?i:…)` change them for their inside. */
interface Modes {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
}

/** A translated piece and the number of engine instructions that it will take, roughly. */
interface Piece {
  readonly text: string;
  readonly size: number;
}

/** How many instructions a program may have: matching takes some 15 ns for each of them and each character at worst. */
const MAX_SIZE = 1000;

const QUANTIFIER = /^\{(\d+)(?:(,)(\d*))?\}/;
const GROUP_NAME = /^<([\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*)>/u;
const MODIFIERS = /^([ims]*)(?:-([ims]*))?:/;

/** The same pattern for RE2, where `flags` is some of i, m, s. Throws PatternProblem. */
export function translatePattern(pattern: string, flags: string): Piece {
  const reader = createPatternReader(pattern);
  const modes = { i: flags.includes('i'), m: flags.includes('m'), s: flags.includes('s') };
  const { text, size } = readAlternatives(reader, modes);
  if (!reader.done()) throw patternError('syntax', 'The pattern has a `)` without its `(`');
  return { text: modes.i ? `(?i:${text})` : text, size };
}

function readAlternatives(reader: PatternReader, modes: Modes): Piece {
  let text = '';
  let size = 1;
  while (!reader.done() && reader.peek() !== ')') {
    if (reader.take('|')) {
      text += '|';
      size = checked(size + 1);
      continue;
    }
    const piece = readQuantified(reader, modes);
    text += piece.text;
    size = checked(size + piece.size);
  }
  return { text, size };
}

function checked(size: number): number {
  if (size > MAX_SIZE)
    throw patternError('too-large', 'The pattern is too large once its repetitions are written out');
  return size;
}

function readQuantified(reader: PatternReader, modes: Modes): Piece {
  const atom = readAtom(reader, modes);
  const mark = reader.peek();
  if (mark === '*' || mark === '+' || mark === '?') {
    reader.skip(1);
    return quantified(reader, atom, { mark, size: atom.size + 1 });
  }
  const counts = reader.match(QUANTIFIER);
  if (counts === undefined) return atom;
  const min = Number(counts[1]);
  const max = counts[2] === undefined ? min : counts[3] === '' ? Infinity : Number(counts[3]);
  if (max < min) throw patternError('syntax', 'The pattern has a repetition whose bounds are out of order');
  const optional = max === Infinity ? 1 : max - min;
  const size = checked(min * atom.size + optional * (atom.size + 1));
  return quantified(reader, atom, { mark: counts[0], size });
}

/** Greedy or not makes no difference to whether there is a match, so a lazy mark is left out. */
function quantified(
  reader: PatternReader,
  atom: Piece,
  { mark, size }: { readonly mark: string; readonly size: number },
): Piece {
  reader.take('?');
  return { text: `(?:${atom.text})${mark}`, size };
}

function readAtom(reader: PatternReader, modes: Modes): Piece {
  const character = reader.peek();
  switch (character) {
    case '(':
      return readGroup(reader, modes);
    case '[':
      return translateClass(reader, modes.i);
    case '\\':
      return atomOfEscape(reader, modes);
    case '*':
    case '+':
    case '?':
      throw patternError('syntax', `The pattern has a \`${character}\` with nothing to repeat`);
    case '{':
      if (reader.match(QUANTIFIER)) throw patternError('syntax', 'The pattern has a repetition of nothing');
      break;
    default:
  }
  reader.skip(character.length);
  if (character === '^') return { text: modes.m ? '(?m:^)' : '\\A', size: 1 };
  if (character === '$') return { text: modes.m ? '(?m:$)' : '\\z', size: 1 };
  if (character === '.') return { text: formatClass(dotRanges(modes.s), modes.i), size: 1 };
  return { text: formatCodePoint(character.codePointAt(0) ?? 0), size: 1 };
}

function readGroup(reader: PatternReader, modes: Modes): Piece {
  reader.skip(1);
  const inner = reader.take('?') ? readGroupKind(reader, modes) : modes;
  const { text, size } = readAlternatives(reader, inner);
  if (!reader.take(')')) throw patternError('syntax', 'The pattern has a `(` without its `)`');
  const prefix = inner.i === modes.i ? '(?:' : inner.i ? '(?i:' : '(?-i:';
  return { text: `${prefix}${text})`, size };
}

/** Reads what follows `(?` and says which modes hold inside. No group needs to capture. */
function readGroupKind(reader: PatternReader, modes: Modes): Modes {
  if (reader.match(/^(?:<?[=!])/)) {
    throw patternError('unsupported', 'Patterns here cannot look ahead or behind');
  }
  if (reader.match(GROUP_NAME)) return modes;
  const [, on = '', off = ''] = reader.match(MODIFIERS) ?? badGroup();
  const named = on + off;
  if (new Set(named).size !== named.length) badGroup();
  const within = (name: 'i' | 'm' | 's'): boolean =>
    on.includes(name) || (modes[name] && !off.includes(name));
  return { i: within('i'), m: within('m'), s: within('s') };
}

function badGroup(): never {
  throw patternError('syntax', 'The pattern has a group of an unknown kind');
}

function atomOfEscape(reader: PatternReader, modes: Modes): Piece {
  if (reader.match(/^\\b/)) return { text: '\\b', size: 1 };
  if (reader.match(/^\\B/)) return { text: '\\B', size: 1 };
  const found = parseEscape(reader, modes.i);
  if (found.kind === 'codePoint') return { text: formatCodePoint(found.codePoint), size: 1 };
  if (found.kind === 'ranges') return { text: formatClass(found.ranges, modes.i), size: 1 };
  return { text: `[${found.text}]`, size: PROPERTY_INSTRUCTIONS };
}

const ALL = '\\x{0}-\\x{10ffff}';

/** Beside a property the engine itself has to ignore case, which takes it time for each character of a range. */
const CHARACTERS_PER_SIZE = 1000;

interface Members {
  readonly ranges: CodePointRange[];
  /** Properties as they stand in the class. */
  properties: string;
  size: number;
}

/** Reads a class from its `[` on. */
export function translateClass(
  reader: PatternReader,
  ignoreCase: boolean,
): { readonly text: string; readonly size: number } {
  reader.skip(1);
  const negated = reader.take('^');
  const members: Members = { ranges: [], properties: '', size: 1 };
  while (!reader.take(']')) readMember(reader, ignoreCase, members);
  const { ranges, properties, size } = members;
  if (properties !== '') {
    const text = `[${negated ? '^' : ''}${formatRanges(ranges)}${properties}]`;
    return { text, size: size + (ignoreCase ? foldingSize(ranges) : 0) };
  }
  // RE2 takes the first `]` for a member, where here it ends an empty class.
  if (ranges.length === 0) return { text: negated ? `[${ALL}]` : `[^${ALL}]`, size };
  const write = negated ? formatNegatedClass : formatClass;
  return { text: write(ignoreCase ? addCaseVariants(ranges) : ranges, ignoreCase), size };
}

function foldingSize(ranges: readonly CodePointRange[]): number {
  return ranges.reduce((sum, [first, last]) => sum + Math.floor((last - first) / CHARACTERS_PER_SIZE), 0);
}

/** One member, or a range of them. A hyphen beside a set stands for itself. */
function readMember(reader: PatternReader, ignoreCase: boolean, members: Members): void {
  const first = readOne(reader, ignoreCase);
  if (first.kind !== 'codePoint' || !reader.match(/^-(?!\])/)) {
    addMember(first, members);
    return;
  }
  const last = readOne(reader, ignoreCase);
  if (last.kind !== 'codePoint') {
    for (const one of [first, { kind: 'codePoint', codePoint: 0x2d } as const, last]) addMember(one, members);
    return;
  }
  if (first.codePoint > last.codePoint) {
    throw patternError('syntax', 'The pattern has a range whose ends are out of order');
  }
  members.ranges.push([first.codePoint, last.codePoint]);
}

function addMember(one: PatternEscape, members: Members): void {
  switch (one.kind) {
    case 'codePoint':
      members.ranges.push([one.codePoint, one.codePoint]);
      break;
    case 'ranges':
      members.ranges.push(...one.ranges);
      break;
    case 'property':
      members.properties += one.text;
      members.size += PROPERTY_INSTRUCTIONS - 1;
  }
}

function readOne(reader: PatternReader, ignoreCase: boolean): PatternEscape {
  const character = reader.peek();
  if (character === '') throw patternError('syntax', 'The pattern has a `[` without its `]`');
  if (character !== '\\') {
    reader.skip(character.length);
    return { kind: 'codePoint', codePoint: character.codePointAt(0) ?? 0 };
  }
  if (reader.match(/^\\b/)) return { kind: 'codePoint', codePoint: 0x08 };
  return parseEscape(reader, ignoreCase);
}
