// Integers in JSON text that a double cannot hold: parsed, they would be other integers. The text is read only where a parsed
// value holds a number that large.
import type { JsonIssue } from './json.ts';

/** Fewer are always held exactly. */
const MIN_DIGITS = 16;
/** More digits are no finite number. */
const MAX_DIGITS = 310;
const INTEGER = /^-?\d+$/;

/**
 * True for an integer, written without fraction and exponent, that a double does not hold exactly. False where its digits are
 * those in which JSON shows the double: what a server or a browser wrote can be read again.
 */
export function isInexactInteger(literal: string): boolean {
  if (literal.length < MIN_DIGITS || literal.length > MAX_DIGITS || !INTEGER.test(literal)) return false;
  const number = Number(literal);
  return (
    Number.isFinite(number) &&
    !Number.isSafeInteger(number) &&
    String(number) !== literal &&
    BigInt(number) !== BigInt(literal)
  );
}

const QUOTE = 0x22;
const MINUS = 0x2d;
const DOT = 0x2e;
const CAPITAL_E = 0x45;
const SMALL_E = 0x65;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const isDigit = (code: number) => code >= 0x30 && code <= 0x39;

/** The index behind the string that begins at `start`. One without escapes is searched, which is faster, not read. */
function endOfString(text: string, start: number): number {
  const quote = text.indexOf('"', start + 1);
  if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote + 1;
  let at = start + 1;
  for (let code = text.charCodeAt(at); at < text.length && code !== QUOTE; code = text.charCodeAt(at)) {
    at += code === BACKSLASH ? 2 : 1;
  }
  return at + 1;
}

/** The index behind the digits that begin at `start`. */
function endOfDigits(text: string, start: number): number {
  let at = start;
  while (isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

/** The index behind the number whose integer part ends before `start`: the same for an integer. */
function endOfNumber(text: string, start: number): number {
  let at = start;
  if (text.charCodeAt(at) === DOT) at = endOfDigits(text, at + 1);
  const code = text.charCodeAt(at);
  // A sign or a digit follows.
  return code === SMALL_E || code === CAPITAL_E ? endOfDigits(text, at + 2) : at;
}

/** Where a scan is: a number is the index in a list, a text the name of a member with its quotes. */
type Place = (number | string)[];

const toPath = (place: Place) =>
  place
    .map((key) => (typeof key === 'number' ? String(key) : String(JSON.parse(key)).toWellFormed()))
    .join('.');

/** Moves the place past a character outside of strings and numbers. `name`: the last string. */
function move(place: Place, code: number, name: string): void {
  const last = place.length - 1;
  const key = place[last];
  if (code === OPEN_LIST) place.push(0);
  else if (code === OPEN_OBJECT) place.push('""');
  else if (code === CLOSE_LIST || code === CLOSE_OBJECT) place.pop();
  else if (code === COLON) place[last] = name;
  else if (code === COMMA && typeof key === 'number') place[last] = key + 1;
}

/** The first integer of a text, which must be JSON, that would be changed by parsing it. `firstIndex`: of an outermost list. */
export function findInexactInteger(text: string, firstIndex = 0): JsonIssue | undefined {
  const place: Place = [];
  let name = '""';
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      name = text.slice(at, end);
      at = end;
    } else if (code === MINUS || isDigit(code)) {
      const endOfInteger = endOfDigits(text, at + 1);
      const end = endOfNumber(text, endOfInteger);
      const mayBeInexact = end === endOfInteger && end - at >= MIN_DIGITS;
      const literal = mayBeInexact ? text.slice(at, end) : '';
      if (mayBeInexact && isInexactInteger(literal)) {
        const [first] = place;
        if (typeof first === 'number') place[0] = first + firstIndex;
        const shown = literal.length > 40 ? `${literal.slice(0, 40)}…` : literal;
        return {
          path: toPath(place),
          message: `${shown} cannot be held exactly as a number: send it as text`,
        };
      }
      at = end;
    } else {
      move(place, code, name);
      at += 1;
    }
  }
  return undefined;
}
