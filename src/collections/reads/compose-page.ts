// Composes the documents of a page where they stand, one level deep: the page stays one text, which is neither taken apart nor
// parsed. For documents with ids and lists of ids, which nearly all are. Any other page is composed document by document
// (`compose.ts`).

import { type ChunkedText, MAX_JOINED_LENGTH } from '../../lib/chunked-text.ts';
import {
  endOfMatch,
  parseQuotedId,
  QUOTED_ID_CHARACTERS,
  type RecordSpan,
  readDocumentId,
  recordSpans,
  type TextSpan,
} from '../../lib/json/stored-json.ts';
import {
  addMember,
  inBatchOrder,
  inOrder,
  mayHaveComposed,
  type ReferenceBatch,
  type ReferenceCollector,
  type ReferenceName,
  type ResolvableId,
} from './composition-nodes.ts';

/** A Reference field of the documents of a page. */
interface PageField {
  readonly name: ReferenceName;
  /** Where its value begins in the current document; -1 without one. */
  place: number;
  /** Characters from the last value to the end of its document. */
  fromEnd: number;
  /** Where the pattern of the name was found last; behind the page if it was not. */
  searched: number;
}

/** The value of a field: an id or a list of ids. */
interface PageValue extends TextSpan {
  readonly name: ReferenceName;
  readonly batch: ReferenceBatch;
  /** The `_id` of the document where it is among those that the value may name. */
  readonly ownId: string | undefined;
  readonly documentEnd: number;
}

/** An id on a page. */
interface PageReference extends ResolvableId {
  readonly value: PageValue;
  /** Where it begins, with its quotes. */
  readonly start: number;
}

const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
/** With the comma or the bracket behind it. */
const LISTED_ID_CHARACTERS = QUOTED_ID_CHARACTERS + 1;

/** A page whose references are found. */
interface ReferencePage {
  readonly text: string;
  readonly documents: readonly TextSpan[];
  /** In the order of the documents. */
  readonly references: readonly PageReference[];
}

/** A page whose references are being found. */
interface PageSearch {
  readonly text: string;
  readonly collector: ReferenceCollector;
  readonly references: PageReference[];
}

/**
 * Finds the references on a page of documents, joined by record separators, and adds them to their batches as `createNode` does.
 * Undefined for a page that has a list of references with anything but ids, or a member `composed`.
 */
export function findPageReferences(text: string, collector: ReferenceCollector): ReferencePage | undefined {
  if (mayHaveComposed(text)) return undefined;
  const documents = recordSpans(text);
  const fields = collector.names.list.map(
    (name): PageField => ({ name, place: -1, fromEnd: 0, searched: -1 }),
  );
  const page: PageSearch = { text, collector, references: [] };
  for (const document of documents) {
    for (const field of fields) field.place = findValue(text, field, document);
    // The order in which `createNode` comes to them.
    const visited = document.nested === undefined ? fields : inOrder(fields, (a, b) => a.place - b.place);
    for (const field of visited) {
      if (field.place >= 0 && !addValue(page, field, document)) return undefined;
    }
  }
  return { text, documents, references: page.references };
}

/** Where the value of a field begins in a document; -1 without one. */
function findValue(text: string, field: PageField, document: RecordSpan): number {
  const { following } = field.name;
  // Documents of a collection are alike: it mostly stands where it stood in the last one that had it.
  const likely = document.end - field.fromEnd;
  const isThere = likely > document.start && text.startsWith(following, likely - following.length);
  if (isThere && !isNested(document, likely)) return likely;
  if (field.searched < document.start) search(text, field, document.start);
  for (const { start, end } of document.nested ?? []) {
    if (field.searched <= start) break;
    if (field.searched < end) search(text, field, end);
  }
  if (field.searched > document.end) return -1;
  field.fromEnd = document.end - field.searched;
  return field.searched;
}

function search(text: string, field: PageField, from: number): void {
  const found = endOfMatch(text, field.name.pattern, from);
  field.searched = found < 0 ? text.length + 1 : found;
}

/** True inside an object or a list of a document. */
const isNested = ({ nested = [] }: RecordSpan, place: number) =>
  nested.some(({ start, end }) => start < place && place < end);

/** Adds the ids of a value. False where it takes a parser to tell what they are. */
function addValue(page: PageSearch, { name, place: start }: PageField, document: RecordSpan): boolean {
  const { text, collector } = page;
  const batch = collector.batchFor(name.field);
  const isList = text.charCodeAt(start) === OPENING_BRACKET;
  const ids = isList ? parseIdList(text, start) : parseSingleId(text, start);
  if (ids === undefined) return false;
  if (ids.length === 0) return true;
  const isOfSameCollection = batch.namespace === collector.namespace;
  const ownId = isOfSameCollection ? readDocumentId(text.slice(document.start, document.end)) : undefined;
  const end = start + ids.length * LISTED_ID_CHARACTERS + (isList ? 1 : -1);
  const value = { name, batch, start, end, ownId, documentEnd: document.end };
  let at = isList ? start + 1 : start;
  for (const id of ids) {
    addReference(page, value, { id, start: at });
    at += LISTED_ID_CHARACTERS;
  }
  return true;
}

function addReference(
  { collector: { quota }, references }: PageSearch,
  value: PageValue,
  { id, start }: Pick<PageReference, 'id' | 'start'>,
): void {
  const reference = { id, content: undefined, value, start };
  references.push(reference);
  const { ids } = value.batch;
  if (ids === undefined || quota.references === 0 || id === value.ownId) return;
  quota.references -= 1;
  ids.push(reference);
}

/** The id that a value is, in lower case. */
function parseSingleId(text: string, start: number): readonly string[] {
  const id = parseQuotedId(text, { start, end: start + QUOTED_ID_CHARACTERS });
  return id === undefined ? [] : [id];
}

/** The ids of a list, in lower case; undefined if it holds anything else. */
function parseIdList(text: string, start: number): readonly string[] | undefined {
  const ids: string[] = [];
  if (text.charCodeAt(start + 1) === CLOSING_BRACKET) return ids;
  let at = start;
  do {
    const id = parseQuotedId(text, { start: at + 1, end: at + LISTED_ID_CHARACTERS });
    if (id === undefined) return undefined;
    ids.push(id);
    at += LISTED_ID_CHARACTERS;
  } while (text.charCodeAt(at) !== CLOSING_BRACKET);
  return ids;
}

/**
 * The documents, joined by commas, with their references replaced, and with the replaced ids in the member `composed` of each. In
 * pieces if they are long.
 */
export function renderPage({ text, documents, references }: ReferencePage): ChunkedText {
  const pieces: string[] = [];
  let result = '';
  let from = 0;
  let at = 0;
  for (const { end } of documents) {
    const first = at;
    while (at < references.length && references[at]?.value.documentEnd === end) at += 1;
    if (at > first) {
      const ofDocument =
        at - first === 1 ? [references[first] as PageReference] : references.slice(first, at);
      for (const { start, content } of inOrder(ofDocument, (a, b) => a.start - b.start)) {
        const idEnd = start + QUOTED_ID_CHARACTERS;
        result += text.slice(from, start) + (content ?? text.slice(start, idEnd));
        from = idEnd;
      }
      result += `${text.slice(from, end - 1)},"composed":{${renderComposed(text, ofDocument)}}`;
      from = end - 1;
    }
    result += end === text.length ? text.slice(from) : `${text.slice(from, end)},`;
    from = end + 1;
    if (result.length < MAX_JOINED_LENGTH) continue;
    pieces.push(result);
    result = '';
  }
  return pieces.length === 0 ? result : [...pieces, result];
}

function renderComposed(text: string, references: readonly PageReference[]): string {
  const values = references.map(({ value }) => value);
  let members = '';
  // The ids of a list are one value.
  for (const { name, start, end } of inBatchOrder(values.length > 1 ? [...new Set(values)] : values)) {
    members = addMember(members, name, text.slice(start, end));
  }
  return members;
}
