// Escapes of patterns: characters, shorthands such as \d, and Unicode properties.
import { type CodePointRange, shorthandRanges } from './code-point-ranges.ts';
import { type PatternReader, patternError } from './pattern-reader.ts';

/** One character, or a set of them: ranges, or a property as text for the inside of a class. */
export type PatternEscape =
  | { readonly kind: 'codePoint'; readonly codePoint: number }
  | { readonly kind: 'ranges'; readonly ranges: readonly CodePointRange[] }
  | { readonly kind: 'property'; readonly text: string };

const CONTROLS: ReadonlyMap<string, number> = new Map([
  ['t', 0x09],
  ['n', 0x0a],
  ['v', 0x0b],
  ['f', 0x0c],
  ['r', 0x0d],
]);

const PAIR = /^u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})/i;
const HEXADECIMAL = [/^x([0-9a-f]{2})/i, /^u([0-9a-f]{4})/i, /^u\{([0-9a-f]{1,8})\}/i];
const PROPERTY = /^([pP])\{(?:(?:sc|Script|gc|General_Category)=)?([A-Za-z_]+)\}/;

/** A large class weighs more than one instruction: the engine compares its ranges one by one. */
export const PROPERTY_INSTRUCTIONS = 10;

/** Reads an escape from its backslash on. `\b` and `\B` are the caller's. */
export function parseEscape(reader: PatternReader, ignoreCase: boolean): PatternEscape {
  reader.skip(1);
  const character = reader.peek();
  const ranges = shorthandRanges(character, ignoreCase);
  if (ranges !== undefined) {
    reader.skip(1);
    return { kind: 'ranges', ranges };
  }
  const property = reader.match(PROPERTY);
  if (property !== undefined) {
    return { kind: 'property', text: `\\${property[1]}{${property[2]}}` };
  }
  return { kind: 'codePoint', codePoint: readCodePoint(reader, character) };
}

function readCodePoint(reader: PatternReader, character: string): number {
  const control = CONTROLS.get(character);
  if (control !== undefined) {
    reader.skip(1);
    return control;
  }
  if (/^[1-9k]/.test(character))
    throw patternError('unsupported', 'Patterns here cannot refer back to a group');
  if (reader.match(/^0(?!\d)/)) return 0;
  const letter = reader.match(/^c([A-Za-z])/)?.[1];
  if (letter !== undefined) return letter.charCodeAt(0) % 32;
  const hexadecimal = readHexadecimal(reader);
  if (hexadecimal !== undefined) return hexadecimal;
  if (character === '') throw patternError('syntax', 'The pattern ends in a backslash');
  if (/^[0-9A-Za-z]/.test(character)) {
    throw patternError('syntax', `The pattern has the unknown escape \`\\${character}\``);
  }
  reader.skip(character.length);
  return character.codePointAt(0) ?? 0;
}

function readHexadecimal(reader: PatternReader): number | undefined {
  const pair = reader.match(PAIR);
  if (pair !== undefined) {
    const units = [pair[1], pair[2]].map((unit) => Number.parseInt(unit ?? '', 16));
    return String.fromCharCode(...units).codePointAt(0);
  }
  for (const form of HEXADECIMAL) {
    const digits = reader.match(form)?.[1];
    if (digits === undefined) continue;
    const codePoint = Number.parseInt(digits, 16);
    if (codePoint > 0x10_ffff)
      throw patternError('syntax', 'The pattern names a character that does not exist');
    return codePoint;
  }
  return undefined;
}
