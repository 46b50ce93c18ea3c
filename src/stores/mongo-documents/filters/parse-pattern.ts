// Parses a client's regular expression, which is known to be valid, into alternatives of atom sequences.
import { addCaseVariants } from '../../../lib/regex/case-folding.ts';
import { type CodePointRange, complementRanges, dotRanges } from '../../../lib/regex/code-point-ranges.ts';
import {
  createPatternReader,
  type PatternEscape,
  type PatternReader,
  parseEscape,
} from '../../../lib/regex/pattern-reader.ts';
import {
  type AtomSequences,
  alternatives,
  concat,
  type PatternAtom,
  repeat,
  UNKNOWN,
} from './server-pattern.ts';

interface Modes {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
}

const QUANTIFIER = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/;
const MODIFIERS = /^([ims]*)(?:-([ims]*))?:/;
const GROUP_NAME = /^<[^>]*>/;

/** The alternatives that the pattern matches, with gaps for what an atom sequence cannot express. */
export function parsePattern(pattern: string, flags: string): AtomSequences {
  const modes = { i: flags.includes('i'), m: flags.includes('m'), s: flags.includes('s') };
  return parseAlternatives(createPatternReader(pattern), modes);
}

function parseAlternatives(reader: PatternReader, modes: Modes): AtomSequences {
  let before: AtomSequences | undefined;
  let current: AtomSequences = [[]];
  while (!reader.done() && reader.peek() !== ')') {
    if (reader.take('|')) {
      before = before === undefined ? current : alternatives(before, current);
      current = [[]];
    } else {
      current = concat(current, parseQuantified(reader, modes));
    }
  }
  return before === undefined ? current : alternatives(before, current);
}

function parseQuantified(reader: PatternReader, modes: Modes): AtomSequences {
  const part = parseAtom(reader, modes);
  const found = reader.match(QUANTIFIER);
  if (found === undefined) return part;
  const [, mark, count, comma, end] = found;
  if (mark !== undefined) return repeat(part, mark === '+' ? 1 : 0, mark === '?' ? 1 : Infinity);
  const min = Number(count);
  return repeat(part, min, comma === undefined ? min : end === '' ? Infinity : Number(end));
}

function parseAtom(reader: PatternReader, modes: Modes): AtomSequences {
  const character = reader.peek();
  if (character === '(') return parseGroup(reader, modes);
  if (character === '[') return parseClass(reader, modes);
  if (character === '\\') return parseEscaped(reader, modes);
  reader.skip(character.length);
  if (character === '^') return place(modes.m ? 'lineStart' : 'start');
  if (character === '$') return place(modes.m ? 'lineEnd' : 'end');
  return character === '.' ? set(dotRanges(modes.s)) : setOf(character.codePointAt(0) ?? 0, modes);
}

function place(kind: Exclude<PatternAtom['kind'], 'set' | 'gap'>): AtomSequences {
  return [[{ kind }]];
}

function set(ranges: readonly CodePointRange[]): AtomSequences {
  return [[{ kind: 'set', ranges }]];
}

function setOf(codePoint: number, modes: Modes): AtomSequences {
  const range: CodePointRange = [codePoint, codePoint];
  return set(modes.i ? addCaseVariants([range]) : [range]);
}

function parseEscaped(reader: PatternReader, modes: Modes): AtomSequences {
  if (reader.match(/^\\b/)) return place('boundary');
  if (reader.match(/^\\B/)) return place('noBoundary');
  const found = parseEscape(reader, modes.i);
  if (found.kind === 'codePoint') return setOf(found.codePoint, modes);
  return found.kind === 'ranges' ? set(found.ranges) : UNKNOWN;
}

function parseGroup(reader: PatternReader, modes: Modes): AtomSequences {
  reader.skip(1);
  let inner = modes;
  if (reader.take('?') && reader.match(GROUP_NAME) === undefined) {
    const [, on = '', off = ''] = reader.match(MODIFIERS) ?? [];
    const within = (name: 'i' | 'm' | 's') => on.includes(name) || (modes[name] && !off.includes(name));
    inner = { i: within('i'), m: within('m'), s: within('s') };
  }
  const found = parseAlternatives(reader, inner);
  reader.take(')');
  return found;
}

function parseClass(reader: PatternReader, modes: Modes): AtomSequences {
  reader.skip(1);
  const negated = reader.take('^');
  const ranges: CodePointRange[] = [];
  let isKnown = true;
  while (!reader.done() && !reader.take(']')) isKnown = parseClassMember(reader, modes, ranges) && isKnown;
  if (!isKnown) return UNKNOWN;
  const all = modes.i ? addCaseVariants(ranges) : ranges;
  return set(negated ? complementRanges(all) : all);
}

/** Adds one member, or a range of them. False for a property: the server may know another Unicode. */
function parseClassMember(reader: PatternReader, modes: Modes, ranges: CodePointRange[]): boolean {
  const first = parseClassAtom(reader, modes);
  if (first.kind !== 'codePoint' || !reader.match(/^-(?!\])/)) return add(first, ranges);
  const last = parseClassAtom(reader, modes);
  if (last.kind === 'codePoint') {
    ranges.push([first.codePoint, last.codePoint]);
    return true;
  }
  ranges.push([first.codePoint, first.codePoint], [0x2d, 0x2d]);
  return add(last, ranges);
}

function add(one: PatternEscape, ranges: CodePointRange[]): boolean {
  if (one.kind === 'property') return false;
  if (one.kind === 'ranges') ranges.push(...one.ranges);
  else ranges.push([one.codePoint, one.codePoint]);
  return true;
}

function parseClassAtom(reader: PatternReader, modes: Modes): PatternEscape {
  const character = reader.peek();
  if (character === '\\') {
    return reader.match(/^\\b/) ? { kind: 'codePoint', codePoint: 0x08 } : parseEscape(reader, modes.i);
  }
  reader.skip(character.length);
  return { kind: 'codePoint', codePoint: character.codePointAt(0) ?? 0 };
}
