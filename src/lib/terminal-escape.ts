// Escapes untrusted text for a terminal.

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
