// Classes in brackets: every member is written anew, so that nothing in them means more to RE2 than to JavaScript.
import { addCaseVariants } from './case-folding.ts';
import { type CodePointRange, formatClass, formatNegatedClass, formatRanges } from './code-point-ranges.ts';
import {
  type PatternEscape,
  type PatternReader,
  PROPERTY_INSTRUCTIONS,
  parseEscape,
  patternError,
} from './pattern-reader.ts';

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
