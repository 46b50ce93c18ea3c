// Text that may be shown at a terminal, whoever wrote it.

/** Control characters but tab and line feed, and those that turn the direction of text or break lines. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about.
const STEERING = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * The text with such characters as `\uXXXX`, which a terminal does not obey. JSON text keeps its meaning. Line feeds stay:
 * whoever may not write several lines has to be kept from it before.
 */
export function escapeControlCharacters(text: string): string {
  return text.replace(STEERING, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
