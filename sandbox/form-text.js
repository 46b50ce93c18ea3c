// Reads and writes the pairs of a query or form as the URL standard says (application/x-www-form-urlencoded). Every step over a text is
// one native function: Node's own `URLSearchParams` goes through it character by character, which takes seconds for some texts of a
// few megabytes, and nothing can stop it.

/** What `encodeURIComponent` leaves as it is, and a form does not. */
const ESCAPES = /** @type {const} */ ([
  ['!', '%21'],
  ["'", '%27'],
  ['(', '%28'],
  [')', '%29'],
  ['~', '%7E'],
]);

/** More pairs than this are not read: each takes some microseconds, and memory of this process. */
const MAX_PAIRS = 10_000;

/** A text is replaced in pieces of so many characters: the parts of all of it at once would fill the heap of this process. */
const PIECE_CHARACTERS = 65_536;

/**
 * Native and linear whatever the text is; `replaceAll` and patterns keep a string or more for each match.
 * @param {string} text @param {string} character @param {string} by
 */
function replaceCharacter(text, character, by) {
  if (!text.includes(character)) return text;
  let replaced = '';
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
    replaced += text
      .slice(at, at + PIECE_CHARACTERS)
      .split(character)
      .join(by);
  }
  return replaced;
}

/** Percent signs that begin no escape stay as they are; bytes that are no UTF-8 become U+FFFD. @param {string} text */
function decode(text) {
  const spaced = replaceCharacter(text, '+', ' ');
  if (!spaced.includes('%')) return spaced.toWellFormed();
  // `unescape` takes a character for a byte, and also knows `%u0041`, which is no escape here.
  const bytes = Buffer.from(spaced).latin1Slice().split('%u').join('%25u');
  return Buffer.from(unescape(bytes), 'latin1').utf8Slice();
}

/** @param {string} text */
function encode(text) {
  let encoded = encodeURIComponent(text.toWellFormed()).split('%20').join('+');
  for (const [character, by] of ESCAPES) encoded = replaceCharacter(encoded, character, by);
  return encoded;
}

/**
 * The pairs of a text; undefined where there are too many, empty ones included.
 * @param {string} text
 * @returns {[name: string, value: string][] | undefined}
 */
export function readPairs(text) {
  /** @type {[string, string][]} */
  const pairs = [];
  let parts = 0;
  for (let from = 0; from <= text.length; ) {
    parts += 1;
    if (parts > MAX_PAIRS) return undefined;
    const end = text.indexOf('&', from);
    const to = end === -1 ? text.length : end;
    if (to > from) {
      const pair = text.slice(from, to);
      const equals = pair.indexOf('=');
      if (equals === -1) pairs.push([decode(pair), '']);
      else pairs.push([decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))]);
    }
    from = to + 1;
  }
  return pairs;
}

/**
 * The text of pairs; undefined where there are too many.
 * @param {readonly (readonly [name: string, value: string])[]} pairs
 */
export function writePairs(pairs) {
  if (pairs.length > MAX_PAIRS) return undefined;
  return pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
}
