// Makes text of authors of posted code printable, for responses, logs and terminals.

const MAX_LINE_LENGTH = 300;
// Control characters, marks that reverse the direction of text, separators of lines and paragraphs; but not a tab, a line
// feed and the joiner of emoji.
const UNPRINTABLE = /(?![\t\n\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const escapeCharacter = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;

/** Escapes every character that a terminal or a reader would not show as it is. */
export function escapeUnprintable(text: string): string {
  return text.toWellFormed().replace(UNPRINTABLE, escapeCharacter);
}

/** One line of about 300 characters. */
export function toOneLine(text: string): string {
  const short = text.length > MAX_LINE_LENGTH ? `${text.slice(0, MAX_LINE_LENGTH - 1)}…` : text;
  return escapeUnprintable(short.replace(/\s+/g, ' ').trim());
}
