// Classes in brackets: every member is written anew, so that nothing in them means more to RE2 than to JavaScript.
import { rangesText } from './regex-classes.ts';
import { type Escape, readEscape } from './regex-escapes.ts';
import { type PatternReader, refuse } from './regex-reader.ts';

const ALL = '\\x{0}-\\x{10ffff}';

/** Reads a class from its `[` on. */
export function translateClass(
  reader: PatternReader,
  ignoreCase: boolean,
): { readonly text: string; readonly size: number } {
  reader.skip(1);
  const negated = reader.take('^');
  let text = '';
  let size = 1;
  while (!reader.take(']')) {
    const member = readMember(reader, ignoreCase);
    text += member.text;
    size += member.size - 1;
  }
  // RE2 takes the first `]` for a member, where here it ends an empty class.
  if (text === '') return { text: negated ? `[${ALL}]` : `[^${ALL}]`, size };
  return { text: `[${negated ? '^' : ''}${text}]`, size };
}

/** One member, or a range of them. A hyphen beside a set stands for itself. */
function readMember(
  reader: PatternReader,
  ignoreCase: boolean,
): { readonly text: string; readonly size: number } {
  const first = readOne(reader, ignoreCase);
  if (first.kind === 'set' || !reader.match(/^-(?!\])/)) return memberOf(first);
  const last = readOne(reader, ignoreCase);
  if (last.kind === 'set') {
    return { text: `${memberOf(first).text}${rangesText([[0x2d, 0x2d]])}${last.text}`, size: last.size };
  }
  if (first.codePoint > last.codePoint) {
    throw refuse('syntax', 'The pattern has a range whose ends are out of order');
  }
  return { text: rangesText([[first.codePoint, last.codePoint]]), size: 1 };
}

function memberOf(one: Escape): { readonly text: string; readonly size: number } {
  if (one.kind === 'set') return one;
  return { text: rangesText([[one.codePoint, one.codePoint]]), size: 1 };
}

function readOne(reader: PatternReader, ignoreCase: boolean): Escape {
  const character = reader.peek();
  if (character === '') throw refuse('syntax', 'The pattern has a `[` without its `]`');
  if (character !== '\\') {
    reader.skip(character.length);
    return { kind: 'codePoint', codePoint: character.codePointAt(0) ?? 0 };
  }
  if (reader.match(/^\\b/)) return { kind: 'codePoint', codePoint: 0x08 };
  return readEscape(reader, ignoreCase);
}
