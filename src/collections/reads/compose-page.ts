// Composes the documents of a page where they stand, one level deep: the page stays one text, which is neither taken apart nor
// parsed. For flat documents with single ids, which nearly all are. Any other page is composed document by document (`compose.ts`).

import { type ChunkedText, MAX_JOINED_LENGTH } from '../../lib/chunked-text.ts';
import { isLowerCaseIdAt } from '../../lib/ids.ts';
import {
  endOfMatch,
  flatRecordEnds,
  hasDocumentId,
  parseQuotedId,
  QUOTED_ID_CHARACTERS,
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
  /** Where the value that was last searched for begins; behind the page if there is none. */
  searched: number;
  /** Characters from that value to the end of its document. */
  fromEnd: number;
}

/** An id on a page. */
interface PageReference extends ResolvableId {
  readonly name: ReferenceName;
  readonly batch: ReferenceBatch;
  /** Where it begins, with its quotes. */
  readonly start: number;
  readonly documentEnd: number;
}

const QUOTE = 0x22;
const OPENING_BRACKET = 0x5b;

/** A page whose references are found. */
interface ReferencePage {
  readonly text: string;
  readonly documentEnds: readonly number[];
  /** In the order of the documents. */
  readonly references: readonly PageReference[];
}

/**
 * Finds the references on a page of documents, joined by record separators, and adds them to their batches as `createNode` does.
 * Undefined for a page that has an object inside a document, a list of references, an id in capital letters, or a member
 * `composed`.
 */
export function findPageReferences(
  text: string,
  { names, namespace, quota, batchFor }: ReferenceCollector,
): ReferencePage | undefined {
  const documentEnds = flatRecordEnds(text);
  if (documentEnds === undefined || mayHaveComposed(text)) return undefined;
  const fields = names.list.map((name): PageField => ({ name, searched: -1, fromEnd: 0 }));
  const references: PageReference[] = [];
  let documentStart = 0;
  for (const documentEnd of documentEnds) {
    for (const field of fields) {
      const start = findValue(text, field, { start: documentStart, end: documentEnd });
      if (start < 0) continue;
      const { name } = field;
      const batch = batchFor(name.field);
      const id = readQuotedId(text, start);
      if (id === undefined) {
        if (mayHoldIds(text, start)) return undefined;
        continue;
      }
      const reference = { id, content: undefined, name, batch, start, documentEnd };
      references.push(reference);
      if (batch.ids === undefined || quota.references === 0) continue;
      const isOwn =
        batch.namespace === namespace && hasDocumentId(text, { start: documentStart, end: documentEnd }, id);
      if (isOwn) continue;
      quota.references -= 1;
      batch.ids.push(reference);
    }
    documentStart = documentEnd + 1;
  }
  return { text, documentEnds, references };
}

/** The id in lower case that stands there in quotes. */
function readQuotedId(text: string, start: number): string | undefined {
  const end = start + QUOTED_ID_CHARACTERS - 1;
  const isQuoted = text.charCodeAt(start) === QUOTE && text.charCodeAt(end) === QUOTE;
  return isQuoted && isLowerCaseIdAt(text, start + 1) ? text.slice(start + 1, end) : undefined;
}

/** True for a list, and for an id in capital letters. */
function mayHoldIds(text: string, start: number): boolean {
  if (text.charCodeAt(start) === OPENING_BRACKET) return true;
  return parseQuotedId(text, { start, end: start + QUOTED_ID_CHARACTERS }) !== undefined;
}

/** Where the value of a field begins in a document; -1 without one. */
function findValue(text: string, field: PageField, { start, end }: TextSpan): number {
  const { name, searched, fromEnd } = field;
  // Documents of a collection are alike: it mostly stands where it stood in the last one that had it. What is found there is not
  // of that one, whose value the place is behind.
  const likely = end - fromEnd;
  if (text.startsWith(name.following, likely - name.following.length)) return likely;
  if (searched < start) {
    const found = endOfMatch(text, name.pattern, start);
    field.searched = found < 0 ? text.length + 1 : found;
  }
  if (field.searched > end) return -1;
  field.fromEnd = end - field.searched;
  return field.searched;
}

/**
 * The documents, joined by commas, with their references replaced, and with the replaced ids in the member `composed` of each. In
 * pieces if they are long.
 */
export function renderPage({ text, documentEnds, references }: ReferencePage): ChunkedText {
  const pieces: string[] = [];
  let result = '';
  let from = 0;
  let at = 0;
  for (const end of documentEnds) {
    const first = at;
    while (at < references.length && references[at]?.documentEnd === end) at += 1;
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
  let members = '';
  for (const { name, start } of inBatchOrder(references)) {
    members = addMember(members, name, text.slice(start, start + QUOTED_ID_CHARACTERS));
  }
  return members;
}
