// Makes untrusted text printable: for terminals, and for one line of a log.

/** Control characters except tab and line feed, and those that change the direction of text or break lines. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about.
const CONTROL_CHARACTERS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * Escapes such characters as `\uXXXX`. JSON text keeps its meaning. Line feeds stay: a caller that prints single lines must
 * remove them before.
 */
export function escapeControlCharacters(text: string): string {
  return text.replace(CONTROL_CHARACTERS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const MAX_LINE_LENGTH = 300;
// Control characters, marks that reverse the direction of text, separators of lines and paragraphs; but not a tab, a line
// feed and the joiner of emoji.
const UNPRINTABLE = /(?![\t\n\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const escapeCharacter = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;

/** Escapes every character that a terminal or a reader would not show as it is. */
export function escapeUnprintable(text: string): string {
  return text.toWellFormed().replace(UNPRINTABLE, escapeCharacter);
}

/** The same on one line of any length. */
export function escapeLine(text: string): string {
  return escapeUnprintable(text.replace(/\s+/g, ' '));
}

/** One line of about 300 characters. */
export function toOneLine(text: string): string {
  const short = text.length > MAX_LINE_LENGTH ? `${text.slice(0, MAX_LINE_LENGTH - 1)}…` : text;
  return escapeUnprintable(short.replace(/\s+/g, ' ').trim());
}

/** Control characters, breaks of lines, and marks that reverse the direction of text. */
const UNPRINTABLE_RUNS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/** Text of others for an answer: one line of at most `max` UTF-16 units, a space for whatever is not printable. */
export function replaceUnprintable(text: string, max: number): string {
  const short = text.slice(0, max * 4).toWellFormed();
  return short.replace(UNPRINTABLE_RUNS, ' ').trim().slice(0, max).toWellFormed();
}
