// Documents in JSON text with the references in them, and their text with the references replaced. A text holds one document, or
// those of a page, joined by record separators. Nothing is parsed but lists of references.

import { isId } from '../../lib/ids.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import {
  endOfValue,
  findInObjects,
  findMember,
  type MemberName,
  memberName,
  objectSpans,
  parseQuotedId,
  parseStoredJson,
  QUOTED_ID_CHARACTERS,
  readDocumentId,
  type TextSpan,
} from '../../lib/json/stored-json.ts';
import type { Field } from '../model/collection.ts';

/** A document whose references are resolved. */
export interface ComposedDocument {
  readonly text: string;
  /** Where it stands in its text. */
  readonly span: TextSpan;
  /** Key of its namespace. */
  readonly namespace: string;
  /** The id that it replaces; undefined for a document that the composition began with. */
  readonly replaced: Reference | undefined;
  readonly values: readonly ReferenceValue[];
  /** False where its text has no member `composed`, at any depth. */
  readonly mayHaveComposed: boolean;
}

/** A Reference field, and its name as it stands in documents. */
export interface ReferenceName extends MemberName {
  readonly field: Field;
}

/** A Reference field of one document, with an id or a list. */
interface ReferenceValue extends TextSpan {
  readonly name: ReferenceName;
  /** References of one document are in the member `composed` in the order of their batches. */
  readonly batch: ReferenceBatch;
  /** The id that the value is, or the elements of the list. */
  readonly content: Reference | readonly ListElement[];
}

interface ListElement {
  /** As JSON text. */
  readonly raw: string;
  /** Undefined for anything but an id. */
  readonly reference: Reference | undefined;
}

/** An id that is to be resolved. */
export interface Reference {
  /** In lower case. */
  readonly id: string;
  /** The document in which it stands. */
  readonly document: ComposedDocument;
  /** The document that replaces it, as JSON text. Undefined: it stays. */
  replacement: string | undefined;
}

/** Ids of one level that are resolved together. */
export interface ReferenceBatch {
  /** Its place among the batches of the level. */
  readonly order: number;
  /** Undefined where the documents behind the ids cannot be read: the ids stay. */
  readonly references: Reference[] | undefined;
  /** Key of the namespace of these documents. */
  readonly namespace: string | undefined;
}

/** What one request may still add. */
export interface CompositionQuota {
  references: number;
  characters: number;
}

interface FinderOptions {
  readonly names: readonly ReferenceName[];
  /** Key of the namespace of the documents. */
  readonly namespace: string;
  readonly quota: CompositionQuota;
  batchFor(field: Field): ReferenceBatch;
}

/**
 * Finds the references in the documents of a text and adds them to their batches. When the quota is used up, ids stay; so do those
 * that would close a cycle.
 */
export type FindReferences = (text: string, replaced?: Reference) => readonly ComposedDocument[];

/** A document whose references are being found. */
type FoundDocument = Omit<ComposedDocument, 'values'> & { values: readonly ReferenceValue[] };

/** A Reference field in the documents of a text. */
interface SoughtField {
  readonly name: ReferenceName;
  /** Where its value begins in each of them; -1 without one. */
  readonly places: readonly number[];
  /** Undefined until a document has a value: batches are in the order in which they are needed. */
  batch: ReferenceBatch | undefined;
}

const NO_VALUES: readonly ReferenceValue[] = [];
const OPENING_BRACKET = 0x5b;
const COMPOSED_NAME = memberName('composed');
// One class, at the beginning: the engine searches for it in two thirds of the time that the pattern of the name takes.
const ENDS_AS_COMPOSED = /[c]omposed":/;

/** Makes the function that finds the references in documents of a collection. */
export function createReferenceFinder({ names, namespace, quota, batchFor }: FinderOptions): FindReferences {
  /** Adds an id to its batch, unless it must stay. */
  const add = (
    id: string,
    document: ComposedDocument,
    { references }: ReferenceBatch,
    around: readonly string[],
  ): Reference => {
    const reference = { id, document, replacement: undefined };
    if (references !== undefined && quota.references > 0 && !around.includes(id)) {
      quota.references -= 1;
      references.push(reference);
    }
    return reference;
  };

  /** The value that begins at `start`; undefined for one that is neither an id nor a list. */
  const toValue = (
    document: ComposedDocument,
    field: SoughtField,
    start: number,
  ): ReferenceValue | undefined => {
    const { text } = document;
    const { name } = field;
    field.batch ??= batchFor(name.field);
    const { batch } = field;
    const around = batch.references === undefined ? NO_IDS : idsAround(document, batch.namespace);
    if (text.charCodeAt(start) === OPENING_BRACKET) {
      const end = endOfValue(text, start);
      const list = parseStoredJson<readonly Json[]>(text.slice(start, end)).filter((item) => item !== null);
      const content = list.map((item) => {
        const reference = isId(item) ? add(item.toLowerCase(), document, batch, around) : undefined;
        return { raw: JSON.stringify(item), reference };
      });
      return { name, batch, start, end, content };
    }
    // Nearly all references are a single id, which needs no parser.
    const end = start + QUOTED_ID_CHARACTERS;
    const id = parseQuotedId(text, { start, end });
    return id === undefined
      ? undefined
      : { name, batch, start, end, content: add(id, document, batch, around) };
  };

  return (text, replaced) => {
    const objects = objectSpans(text);
    const mayHaveComposed = ENDS_AS_COMPOSED.test(text);
    const fields = names.map(
      (name): SoughtField => ({ name, places: findInObjects(text, objects, name), batch: undefined }),
    );
    return objects.map((span, index) => {
      const document: FoundDocument = { text, span, namespace, replaced, values: NO_VALUES, mayHaveComposed };
      // In the order of the specification, or of the document: it decides which ids the quota allows.
      const visited =
        span.nested === undefined ? fields : inOrder(fields, ({ places }) => places[index] ?? -1);
      for (const field of visited) {
        const place = field.places[index] ?? -1;
        const value = place < 0 ? undefined : toValue(document, field, place);
        if (value === undefined) continue;
        // A list of one takes less memory than one that can grow, and most documents have a single value.
        document.values = document.values === NO_VALUES ? [value] : [...document.values, value];
      }
      return document;
    });
  };
}

const NO_IDS: readonly string[] = [];

/** The ids of the document and of those around it, of one namespace: documents of several collections may have the same id. */
function idsAround(document: ComposedDocument, namespace: string | undefined): readonly string[] {
  let ids = NO_IDS;
  for (let at: ComposedDocument | undefined = document; at !== undefined; at = at.replaced?.document) {
    if (at.namespace !== namespace) continue;
    const id = at.replaced?.id ?? readDocumentId(textOf(at));
    if (id !== undefined) ids = [...ids, id];
  }
  return ids;
}

const textOf = ({ text, span }: ComposedDocument) => text.slice(span.start, span.end);

/** Sorted, unless there is nothing to sort, as in nearly all documents. */
const inOrder = <T>(items: readonly T[], rank: (item: T) => number) =>
  items.length > 1 ? items.toSorted((a, b) => rank(a) - rank(b)) : items;

/** Puts the text of a document in the place of its id. False where there is none, and when the quota is used up. */
export function embedDocument(
  reference: Reference,
  text: string | undefined,
  quota: CompositionQuota,
): text is string {
  if (text === undefined || text.length > quota.characters) return false;
  quota.characters -= text.length;
  reference.replacement = text;
  return true;
}

/** Puts the text of a document whose references are resolved in the place of its id. */
export function renderEmbedded(document: ComposedDocument): void {
  if (document.replaced !== undefined) document.replaced.replacement = renderDocument(document);
}

/** A part of a text, and what replaces it. */
interface TextEdit extends TextSpan {
  readonly content: ReferenceValue['content'] | string;
}

/** The text of a document with its references replaced, and the replaced ids in the member `composed`. */
export function renderDocument(document: ComposedDocument): string {
  const { text, span, values, mayHaveComposed } = document;
  if (values.length === 0) return textOf(document);
  const members = renderComposed(text, values);
  const present = members !== '' && mayHaveComposed ? findMember(textOf(document), COMPOSED_NAME) : undefined;
  const edits = present === undefined ? values : [...values, extendComposed(document, present, members)];
  let result = '';
  let from = span.start;
  for (const edit of inOrder<TextEdit>(edits, ({ start }) => start)) {
    result += text.slice(from, edit.start) + renderContent(text, edit);
    from = edit.end;
  }
  if (members === '' || present !== undefined) return result + text.slice(from, span.end);
  return `${result}${text.slice(from, span.end - 1)},"composed":{${members}}}`;
}

const isList = (content: ReferenceValue['content']): content is readonly ListElement[] =>
  Array.isArray(content);

const renderList = (elements: readonly ListElement[], render: (element: ListElement) => string) =>
  `[${elements.map(render).join(',')}]`;

function renderContent(text: string, { content, start, end }: TextEdit): string {
  if (typeof content === 'string') return content;
  if (isList(content)) return renderList(content, ({ raw, reference }) => reference?.replacement ?? raw);
  return content.replacement ?? text.slice(start, end);
}

/** The replaced ids of a document, as the members of an object. */
function renderComposed(text: string, values: readonly ReferenceValue[]): string {
  let members = '';
  for (const { name, content, start, end } of inOrder(values, ({ batch }) => batch.order)) {
    const ids = isList(content) ? renderIds(content) : text.slice(start, end);
    if (ids !== undefined) members += `${members === '' ? '' : ','}${name.prefix}${ids}`;
  }
  return members;
}

/** The ids of a list; undefined if it has none. */
function renderIds(elements: readonly ListElement[]): string | undefined {
  const ids = elements.filter(({ reference }) => reference !== undefined);
  return ids.length === 0 ? undefined : renderList(ids, ({ raw }) => raw);
}

/** The member `composed` that a document has already, with the members of the replaced ids. */
function extendComposed({ text, span }: ComposedDocument, present: TextSpan, members: string): TextEdit {
  const start = span.start + present.start;
  const end = span.start + present.end;
  const ids = parseStoredJson<JsonObject>(text.slice(start, end));
  const content = JSON.stringify({ ...ids, ...(JSON.parse(`{${members}}`) as JsonObject) });
  return { start, end, content };
}
