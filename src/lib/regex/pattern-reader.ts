// Reads a pattern: a position that moves forward, escapes (characters, shorthands such as \d, Unicode properties), and errors.

import { type CodePointRange, shorthandRanges } from './code-point-ranges.ts';

export type PatternErrorReason = 'syntax' | 'unsupported' | 'too-large';

/** Why a pattern cannot be translated. The message may be shown to the client. */
export class PatternError extends Error {
  readonly reason: PatternErrorReason;

  constructor(reason: PatternErrorReason, message: string) {
    super(message);
    this.name = 'PatternProblem';
    this.reason = reason;
  }
}

/** The problem to throw. */
export function patternError(reason: PatternErrorReason, message: string): PatternError {
  return new PatternError(reason, message);
}

export interface PatternReader {
  done(): boolean;
  /** The character here, whole if it is a surrogate pair; empty at the end. */
  peek(): string;
  /** Moves on by UTF-16 units. */
  skip(units: number): void;
  /** Moves past `text` if it stands here. */
  take(text: string): boolean;
  /** Moves past what `expression`, which starts with `^`, matches here. */
  match(expression: RegExp): RegExpExecArray | undefined;
}

/** Reads `pattern` from its start. */
export function createPatternReader(pattern: string): PatternReader {
  let at = 0;
  return {
    done: () => at >= pattern.length,
    peek: () => {
      const codePoint = pattern.codePointAt(at);
      return codePoint === undefined ? '' : String.fromCodePoint(codePoint);
    },
    skip: (units) => {
      at += units;
    },
    take: (text) => {
      if (!pattern.startsWith(text, at)) return false;
      at += text.length;
      return true;
    },
    match: (expression) => {
      const found = expression.exec(pattern.slice(at)) ?? undefined;
      at += found?.[0].length ?? 0;
      return found;
    },
  };
}

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
