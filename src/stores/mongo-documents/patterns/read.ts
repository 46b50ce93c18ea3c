// Reads a client's pattern, known to be a valid one, as alternatives of plain sequences.
import { withTwins } from '../../../lib/regex-case.ts';
import { complement, dotRanges, type Range } from '../../../lib/regex-classes.ts';
import { type Escape, readEscape } from '../../../lib/regex-escapes.ts';
import { createPatternReader, type PatternReader } from '../../../lib/regex-reader.ts';
import { type Atom, eitherOf, follow, repeat, type Sequences, UNKNOWN } from './atoms.ts';

interface Modes {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
}

const QUANTIFIER = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/;
const MODIFIERS = /^([ims]*)(?:-([ims]*))?:/;
const GROUP_NAME = /^<[^>]*>/;

/** What the pattern matches, with gaps where that cannot be said plainly. */
export function readPattern(pattern: string, flags: string): Sequences {
  const modes = { i: flags.includes('i'), m: flags.includes('m'), s: flags.includes('s') };
  return readAlternatives(createPatternReader(pattern), modes);
}

function readAlternatives(reader: PatternReader, modes: Modes): Sequences {
  let before: Sequences | undefined;
  let current: Sequences = [[]];
  while (!reader.done() && reader.peek() !== ')') {
    if (reader.take('|')) {
      before = before === undefined ? current : eitherOf(before, current);
      current = [[]];
    } else {
      current = follow(current, readQuantified(reader, modes));
    }
  }
  return before === undefined ? current : eitherOf(before, current);
}

function readQuantified(reader: PatternReader, modes: Modes): Sequences {
  const part = readAtom(reader, modes);
  const found = reader.match(QUANTIFIER);
  if (found === undefined) return part;
  const [, mark, count, comma, end] = found;
  if (mark !== undefined) return repeat(part, mark === '+' ? 1 : 0, mark === '?' ? 1 : Infinity);
  const least = Number(count);
  return repeat(part, least, comma === undefined ? least : end === '' ? Infinity : Number(end));
}

function readAtom(reader: PatternReader, modes: Modes): Sequences {
  const character = reader.peek();
  if (character === '(') return readGroup(reader, modes);
  if (character === '[') return readClass(reader, modes);
  if (character === '\\') return readEscaped(reader, modes);
  reader.skip(character.length);
  if (character === '^') return place(modes.m ? 'lineStart' : 'start');
  if (character === '$') return place(modes.m ? 'lineEnd' : 'end');
  return character === '.' ? set(dotRanges(modes.s)) : setOf(character.codePointAt(0) ?? 0, modes);
}

function place(kind: Exclude<Atom['kind'], 'set' | 'gap'>): Sequences {
  return [[{ kind }]];
}

function set(ranges: readonly Range[]): Sequences {
  return [[{ kind: 'set', ranges }]];
}

function setOf(codePoint: number, modes: Modes): Sequences {
  const range: Range = [codePoint, codePoint];
  return set(modes.i ? withTwins([range]) : [range]);
}

function readEscaped(reader: PatternReader, modes: Modes): Sequences {
  if (reader.match(/^\\b/)) return place('boundary');
  if (reader.match(/^\\B/)) return place('noBoundary');
  const found = readEscape(reader, modes.i);
  if (found.kind === 'codePoint') return setOf(found.codePoint, modes);
  return found.kind === 'ranges' ? set(found.ranges) : UNKNOWN;
}

function readGroup(reader: PatternReader, modes: Modes): Sequences {
  reader.skip(1);
  let inner = modes;
  if (reader.take('?') && reader.match(GROUP_NAME) === undefined) {
    const [, on = '', off = ''] = reader.match(MODIFIERS) ?? [];
    const within = (name: 'i' | 'm' | 's') => on.includes(name) || (modes[name] && !off.includes(name));
    inner = { i: within('i'), m: within('m'), s: within('s') };
  }
  const found = readAlternatives(reader, inner);
  reader.take(')');
  return found;
}

function readClass(reader: PatternReader, modes: Modes): Sequences {
  reader.skip(1);
  const negated = reader.take('^');
  const ranges: Range[] = [];
  let isKnown = true;
  while (!reader.done() && !reader.take(']')) isKnown = readMember(reader, modes, ranges) && isKnown;
  if (!isKnown) return UNKNOWN;
  const all = modes.i ? withTwins(ranges) : ranges;
  return set(negated ? complement(all) : all);
}

/** Adds one member, or a range of them. False for a property: the server may know another Unicode. */
function readMember(reader: PatternReader, modes: Modes, ranges: Range[]): boolean {
  const first = readOne(reader, modes);
  if (first.kind !== 'codePoint' || !reader.match(/^-(?!\])/)) return add(first, ranges);
  const last = readOne(reader, modes);
  if (last.kind === 'codePoint') {
    ranges.push([first.codePoint, last.codePoint]);
    return true;
  }
  ranges.push([first.codePoint, first.codePoint], [0x2d, 0x2d]);
  return add(last, ranges);
}

function add(one: Escape, ranges: Range[]): boolean {
  if (one.kind === 'property') return false;
  if (one.kind === 'ranges') ranges.push(...one.ranges);
  else ranges.push([one.codePoint, one.codePoint]);
  return true;
}

function readOne(reader: PatternReader, modes: Modes): Escape {
  const character = reader.peek();
  if (character === '\\') {
    return reader.match(/^\\b/) ? { kind: 'codePoint', codePoint: 0x08 } : readEscape(reader, modes.i);
  }
  reader.skip(character.length);
  return { kind: 'codePoint', codePoint: character.codePointAt(0) ?? 0 };
}
