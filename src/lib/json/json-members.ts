// Finds members of an object in its JSON text, so that their text can be replaced without parsing all of it. The text must be as
// `JSON.stringify` writes it: valid, without white space between tokens.

/** A range of characters from `start` up to, not including, `end`. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

const isOpening = (code: number) => code === 0x7b || code === 0x5b;
const isClosing = (code: number) => code === 0x7d || code === 0x5d;

/**
 * The spans of the values of the outermost members that `wanted` has: its keys are names as JSON text, quotes included,
 * and the result has its values.
 */
export function findMemberSpans<T>(text: string, wanted: ReadonlyMap<string, T>): ReadonlyMap<T, TextSpan> {
  const found = new Map<T, TextSpan>();
  forEachMember(text, wanted, (value, span) => {
    found.set(value, span);
  });
  return found;
}

/** Calls `visit` for each of these members. */
export function forEachMember<T>(
  text: string,
  wanted: ReadonlyMap<string, T>,
  visit: (value: T, span: TextSpan) => void,
): void {
  // Without an object inside, all members are outermost ones: looking for a few of them beats walking over all.
  if (text.indexOf('{', 1) < 0) searchMembers(text, wanted, visit);
  else walkMembers(text, wanted, visit);
}

function searchMembers<T>(
  text: string,
  wanted: ReadonlyMap<string, T>,
  visit: (value: T, span: TextSpan) => void,
): void {
  for (const [name, value] of wanted) {
    const at = memberAt(text, name);
    if (at < 0) continue;
    const start = at + name.length + 1;
    visit(value, { start, end: endOfValue(text, start) });
  }
}

/** Where the member with this quoted name stands in a flat object. In a text its quotes are escaped, so it is only found outside. */
function memberAt(text: string, name: string): number {
  let at = text.indexOf(name);
  // Behind a backslash it is the end of a longer name; without a colon it is a value.
  while (at > 0 && (text.charCodeAt(at - 1) === BACKSLASH || text.charCodeAt(at + name.length) !== COLON)) {
    at = text.indexOf(name, at + 1);
  }
  return at;
}

function walkMembers<T>(
  text: string,
  wanted: ReadonlyMap<string, T>,
  visit: (value: T, span: TextSpan) => void,
): void {
  let at = 1;
  while (text.charCodeAt(at) === QUOTE) {
    const nameEnd = endOfString(text, at);
    const start = nameEnd + 1;
    const end = endOfValue(text, start);
    const value = wanted.get(text.slice(at, nameEnd));
    if (value !== undefined) visit(value, { start, end });
    at = end + 1;
  }
}

function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return endOfString(text, start);
  if (isOpening(first)) return endOfNested(text, start);
  let at = start;
  for (let code = first; code !== COMMA && !isClosing(code) && at < text.length; code = text.charCodeAt(at)) {
    at += 1;
  }
  return at;
}

function endOfNested(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      continue;
    }
    at += 1;
    if (isOpening(code)) depth += 1;
    else if (isClosing(code)) depth -= 1;
    if (depth === 0) break;
  }
  return at;
}

function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at > 0; at = text.indexOf('"', at + 1)) {
    if (text.charCodeAt(at - 1) !== BACKSLASH || !isEscaped(text, at)) return at + 1;
  }
  return text.length;
}

/** True behind an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text.charCodeAt(from - 1) === BACKSLASH) from -= 1;
  return (at - from) % 2 === 1;
}
