// Reads stored documents, which are JSON text: whole, though a defective disk can damage them; some members of one, without
// parsing all of it; their `_id` and their version `v`. Where members are looked for, the text must be as `JSON.stringify` writes
// it: valid, without white space between tokens.
import { StoreError } from '../../errors/errors.ts';
import { andThen, forEachYielding, type MaybePromise } from '../async/maybe-promise.ts';
import { RECORD_SEPARATOR } from '../chunked-text.ts';
import { parseIdAt } from '../ids.ts';
import type { Json, JsonObject } from './json.ts';

/** Parses the text of a stored document. Throws a `damaged` StoreError if it is not JSON. */
export function parseStoredJson<T = JsonObject>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    // The message of the parser would quote the document.
    throw new StoreError('damaged', { cause: new Error('the text of a stored document cannot be read') });
  }
}

/** The number of writes of a stored document; 0 if another program wrote it without `v`. */
export function documentVersion(document: JsonObject): number {
  const v = document['v'];
  return typeof v === 'number' ? v : 0;
}

/** A range of characters from `start` up to, not including, `end`. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** The name of a member, in the forms in which it stands in JSON text. */
export interface MemberName {
  readonly quoted: string;
  /** In front of the value. */
  readonly prefix: string;
  /** Matches up to the value of a member, in flat objects. In a text or a name its quotes would be escaped, and behind a value there is no colon. */
  readonly pattern: RegExp;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const SEPARATOR_CODE = RECORD_SEPARATOR.charCodeAt(0);

const isOpening = (code: number) => code === 0x7b || code === 0x5b;
const isClosing = (code: number) => code === 0x7d || code === 0x5d;

/** Prepares a name for `findMember` and `findInObjects`. */
export function memberName(name: string): MemberName {
  const quoted = JSON.stringify(name);
  const prefix = `${quoted}:`;
  // Begins with a class: the engine then skips ahead by the whole length of the pattern, which it does not do for a plain text.
  return { quoted, prefix, pattern: new RegExp(`[,{]${RegExp.escape(prefix)}`, 'g') };
}

/** The span of the value of the outermost member with this name. */
export function findMember(text: string, name: MemberName): TextSpan | undefined {
  if (isFlat(text)) {
    const start = endOfMatch(text, name.pattern, 0);
    return start < 0 ? undefined : { start, end: endOfValue(text, start) };
  }
  let found: TextSpan | undefined;
  walkMembers(text, 0, (quoted, span) => {
    if (quoted === name.quoted) found = span;
  });
  return found;
}

/** True for an object without another inside: all members are outermost ones, and looking for a few beats walking over all. */
const isFlat = (text: string) => text.indexOf('{', 1) < 0;

/** Where the first match of a global pattern behind `from` ends; -1 without one. Makes no object, as `exec` would. */
function endOfMatch(text: string, pattern: RegExp, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** One of the objects that are joined to one text. */
export interface ObjectSpan extends TextSpan {
  /** The values of outermost members that hold objects, lists among them, in their order. Undefined where it has no further brace. */
  readonly nested: readonly TextSpan[] | undefined;
}

/** The objects of a text in which they are joined by separators; none in an empty one. */
export function objectSpans(text: string): readonly ObjectSpan[] {
  const objects: ObjectSpan[] = [];
  if (text === '') return objects;
  let start = 0;
  let nested: TextSpan[] | undefined;
  for (let at = text.indexOf('{', 1); at > 0; ) {
    const before = text.charCodeAt(at - 1);
    if (before === SEPARATOR_CODE) {
      objects.push({ start, end: at - 1, nested });
      start = at;
      nested = undefined;
      at = text.indexOf('{', at + 1);
      continue;
    }
    const value = before === OPENING_BRACKET ? at - 1 : at;
    if (!followsName(text, value)) {
      nested = nestedValues(text, start);
      const end = text.indexOf(RECORD_SEPARATOR, at);
      at = end < 0 ? -1 : text.indexOf('{', end);
      continue;
    }
    const end = endOfNested(text, value);
    nested ??= [];
    nested.push({ start: value, end });
    at = text.indexOf('{', end);
  }
  objects.push({ start, end: text.length, nested });
  return objects;
}

/** The objects and lists in the object that begins at `from`, found by walking over all of its members. */
function nestedValues(text: string, from: number): TextSpan[] {
  const nested: TextSpan[] = [];
  walkMembers(text, from, (_quoted, span) => {
    if (isOpening(text.charCodeAt(span.start))) nested.push(span);
  });
  return nested;
}

/** True only behind the name of a member and its colon, where a brace is not inside a string. False behind some names. */
function followsName(text: string, start: number): boolean {
  if (text.charCodeAt(start - 1) !== COLON || text.charCodeAt(start - 2) !== QUOTE) return false;
  // A quote inside a string is escaped. One that begins a string follows one of the others.
  const before = text.charCodeAt(start - 3);
  return before !== BACKSLASH && before !== COLON && before !== COMMA && !isOpening(before);
}

/** Where the value of the outermost member with this name begins in each of the objects of a text; -1 where there is none. */
export function findInObjects(
  text: string,
  objects: readonly ObjectSpan[],
  { prefix, pattern }: MemberName,
): readonly number[] {
  const following = `,${prefix}`;
  /** Characters from the last value to the end of its object. */
  let fromEnd = 0;
  /** Where the pattern was found last; behind the text if it was not. */
  let searched = -1;
  const search = (from: number) => {
    const found = endOfMatch(text, pattern, from);
    searched = found < 0 ? text.length + 1 : found;
  };
  return objects.map((object) => {
    // Objects on a page are alike: it mostly stands where it stood in the last one that had it.
    const likely = object.end - fromEnd;
    const isThere = likely > object.start && text.startsWith(following, likely - following.length);
    if (isThere && !isNested(object, likely)) return likely;
    if (searched < object.start) search(object.start);
    for (const { start, end } of object.nested ?? []) {
      if (searched <= start) break;
      if (searched < end) search(end);
    }
    if (searched > object.end) return -1;
    fromEnd = object.end - searched;
    return searched;
  });
}

/** True inside an object or a list of an object. */
const isNested = ({ nested = [] }: ObjectSpan, place: number) =>
  nested.some(({ start, end }) => start < place && place < end);

/** Visits the members of the object that begins at `from`. */
function walkMembers(text: string, from: number, visit: (quoted: string, span: TextSpan) => void): void {
  let at = from + 1;
  while (text.charCodeAt(at) === QUOTE) {
    const nameEnd = endOfString(text, at);
    const start = nameEnd + 1;
    const end = endOfValue(text, start);
    visit(text.slice(at, nameEnd), { start, end });
    at = end + 1;
  }
}

/** Where the value that begins at `start` ends. */
export function endOfValue(text: string, start: number): number {
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

const ID_NAME = memberName('_id');
const ID_MEMBER_PREFIX = '"_id":';
export const QUOTED_ID_CHARACTERS = 26;

/** The id between `start` and `end`, in lower case; undefined where the text there is no quoted id. */
export function parseQuotedId(text: string, { start, end }: TextSpan): string | undefined {
  const isQuoted =
    end - start === QUOTED_ID_CHARACTERS &&
    text.charCodeAt(start) === QUOTE &&
    text.charCodeAt(end - 1) === QUOTE;
  return isQuoted ? parseIdAt(text, start + 1) : undefined;
}

/** Where the value of a last member `_id` begins, if it is as long as an id, as in every document that this server wrote. Else -1. */
function startOfLastId(text: string): number {
  const start = text.length - 1 - QUOTED_ID_CHARACTERS;
  const name = start - ID_MEMBER_PREFIX.length;
  const isThere = text.startsWith(ID_MEMBER_PREFIX, name) && text.charCodeAt(name - 1) !== BACKSLASH;
  return isThere && text.charCodeAt(start) === QUOTE ? start : -1;
}

/** The `_id` of a document; undefined where it is not text. */
export function readDocumentId(text: string): string | undefined {
  const start = startOfLastId(text);
  const end = start + QUOTED_ID_CHARACTERS;
  if (start >= 0 && parseQuotedId(text, { start, end }) !== undefined) return text.slice(start + 1, end - 1);
  const span = findMember(text, ID_NAME);
  const id = span && parseStoredJson<Json>(text.slice(span.start, span.end));
  return typeof id === 'string' ? id : undefined;
}

// `v` and `_id` are the last members of every document that this server wrote.
const DOCUMENT_END = /[,{]"v":(\d{1,15}),"_id":"[^"\\]*"\}$/y;

/** The `v` of a document. */
export function readDocumentVersion(text: string): number {
  DOCUMENT_END.lastIndex = Math.max(0, text.lastIndexOf('"v":') - 1);
  const end = DOCUMENT_END.exec(text);
  return end === null ? documentVersion(parseStoredJson(text)) : Number(end[1]);
}

/** The documents by their ids. Those without an id that is text are left out. */
export function documentsById(texts: readonly string[]): MaybePromise<ReadonlyMap<string, string>> {
  const documents = new Map<string, string>();
  const reading = forEachYielding(texts, (text) => {
    const id = readDocumentId(text);
    if (id !== undefined) documents.set(id, text);
  });
  return andThen(reading, () => documents);
}
