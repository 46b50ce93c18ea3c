// Reads the `_id` of a document from its JSON text.
import { forEachYielding } from './async/yielding.ts';
import { isId } from './ids.ts';
import type { Json } from './json/json.ts';
import { findMemberSpans, type TextSpan } from './json/json-members.ts';
import { parseStoredJson } from './json/stored-json.ts';

const ID_MEMBERS = new Map([['"_id"', '_id']]);
const ID_MEMBER_PREFIX = '"_id":';
const QUOTED_ID_CHARACTERS = 26;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The id between `start` and `end`, undefined where the text there is no quoted id. */
export function parseQuotedId(text: string, { start, end }: TextSpan): string | undefined {
  const isQuoted =
    end - start === QUOTED_ID_CHARACTERS &&
    text.charCodeAt(start) === QUOTE &&
    text.charCodeAt(end - 1) === QUOTE;
  const id = isQuoted ? text.slice(start + 1, end - 1) : undefined;
  return isId(id) ? id : undefined;
}

/** The `_id` of a document; undefined where it is not text. */
export function readDocumentId(text: string): string | undefined {
  const start = text.length - 1 - QUOTED_ID_CHARACTERS;
  const name = start - ID_MEMBER_PREFIX.length;
  // It is the last member of every document that this server wrote.
  if (text.startsWith(ID_MEMBER_PREFIX, name) && text.charCodeAt(name - 1) !== BACKSLASH) {
    const last = parseQuotedId(text, { start, end: text.length - 1 });
    if (last !== undefined) return last;
  }
  const span = findMemberSpans(text, ID_MEMBERS).get('_id');
  const id = span && (parseQuotedId(text, span) ?? parseStoredJson<Json>(text.slice(span.start, span.end)));
  return typeof id === 'string' ? id : undefined;
}

/** The documents by their ids. Those without an id that is text are left out. */
export async function documentsById(texts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const documents = new Map<string, string>();
  await forEachYielding(texts, (text) => {
    const id = readDocumentId(text);
    if (id !== undefined) documents.set(id, text);
  });
  return documents;
}
