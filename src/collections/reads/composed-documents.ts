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
  readonly isList: boolean;
  readonly elements: readonly ValueElement[];
}

/** The id that a value is, or an element of a list. */
interface ValueElement {
  /** As JSON text. */
  readonly raw: string;
  /** In lower case. Undefined for anything else in a list. */
  readonly id: string | undefined;
  /** The document that replaces it, as JSON text. Undefined: it stays. */
  content: string | undefined;
}

/** An id that is to be resolved. */
export interface Reference extends ValueElement {
  readonly id: string;
  /** The document in which it stands. */
  readonly document: ComposedDocument;
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

const OPENING_BRACKET = 0x5b;
const COMPOSED_NAME = memberName('composed');
// One class, at the beginning: the engine searches for it in two thirds of the time that the pattern of the name takes.
const ENDS_AS_COMPOSED = /[c]omposed":/;

/** Makes the function that finds the references in documents of a collection. */
export function createReferenceFinder({ names, namespace, quota, batchFor }: FinderOptions): FindReferences {
  /** Adds an id to its batch, unless it must stay. */
  const add = (reference: Reference, { references }: ReferenceBatch, around: readonly string[]) => {
    if (references !== undefined && quota.references > 0 && !around.includes(reference.id)) {
      quota.references -= 1;
      references.push(reference);
    }
    return reference;
  };

  /** The value that begins at `start`; undefined for one that is neither an id nor a list. */
  const toValue = (
    document: ComposedDocument,
    name: ReferenceName,
    start: number,
  ): ReferenceValue | undefined => {
    const { text } = document;
    const batch = batchFor(name.field);
    const around = batch.references === undefined ? [] : idsAround(document, batch.namespace);
    if (text.charCodeAt(start) === OPENING_BRACKET) {
      const end = endOfValue(text, start);
      const list = parseStoredJson<readonly Json[]>(text.slice(start, end)).filter((item) => item !== null);
      const elements = list.map((item) => {
        const raw = JSON.stringify(item);
        if (!isId(item)) return { raw, id: undefined, content: undefined };
        return add({ raw, id: item.toLowerCase(), document, content: undefined }, batch, around);
      });
      return { name, batch, start, end, isList: true, elements };
    }
    // Nearly all references are a single id, which needs no parser.
    const end = start + QUOTED_ID_CHARACTERS;
    const id = parseQuotedId(text, { start, end });
    if (id === undefined) return undefined;
    const reference = add({ raw: text.slice(start, end), id, document, content: undefined }, batch, around);
    return { name, batch, start, end, isList: false, elements: [reference] };
  };

  return (text, replaced) => {
    const objects = objectSpans(text);
    const mayHaveComposed = ENDS_AS_COMPOSED.test(text);
    const fields = names.map((name) => ({ name, places: findInObjects(text, objects, name) }));
    return objects.map((span, index) => {
      const values: ReferenceValue[] = [];
      const document = { text, span, namespace, replaced, values, mayHaveComposed };
      const placeIn = ({ places }: (typeof fields)[number]) => places[index] ?? -1;
      // In the order of the specification, or of the document: it decides which ids the quota allows.
      const visited = span.nested === undefined ? fields : inOrder(fields, placeIn);
      for (const field of visited) {
        const place = placeIn(field);
        const value = place < 0 ? undefined : toValue(document, field.name, place);
        if (value !== undefined) values.push(value);
      }
      return document;
    });
  };
}

/** The ids of the document and of those around it, of one namespace: documents of several collections may have the same id. */
function idsAround(document: ComposedDocument, namespace: string | undefined): readonly string[] {
  const ids: string[] = [];
  for (let at: ComposedDocument | undefined = document; at !== undefined; at = at.replaced?.document) {
    if (at.namespace !== namespace) continue;
    const id = at.replaced?.id ?? readDocumentId(textOf(at));
    if (id !== undefined) ids.push(id);
  }
  return ids;
}

const textOf = ({ text, span }: ComposedDocument) => text.slice(span.start, span.end);

/** Sorted, unless there is nothing to sort, as in nearly all documents. */
const inOrder = <T>(items: readonly T[], rank: (item: T) => number) =>
  items.length > 1 ? items.toSorted((a, b) => rank(a) - rank(b)) : items;

/**
 * Puts a document in the place of its id, unless the quota is used up. With `find`, returns it if it has references itself: these
 * are resolved too, and then `renderEmbedded` puts the result in its place.
 */
export function embedDocument(
  reference: Reference,
  text: string,
  { quota, find }: { readonly quota: CompositionQuota; readonly find?: FindReferences | undefined },
): ComposedDocument | undefined {
  if (text.length > quota.characters) return undefined;
  quota.characters -= text.length;
  reference.content = text;
  return find?.(text, reference).find(({ values }) => values.length > 0);
}

/** Puts the text of a document whose references are resolved in the place of its id. */
export function renderEmbedded(document: ComposedDocument): void {
  if (document.replaced !== undefined) document.replaced.content = renderDocument(document);
}

/** A part of a text, and what replaces it. */
type TextEdit = Pick<ReferenceValue, 'start' | 'end' | 'isList' | 'elements'>;

/** The text of a document with its references replaced, and the replaced ids in the member `composed`. */
export function renderDocument(document: ComposedDocument): string {
  const { text, span, values, mayHaveComposed } = document;
  if (values.length === 0) return textOf(document);
  const members = renderComposed(values);
  const present = members !== '' && mayHaveComposed ? findMember(textOf(document), COMPOSED_NAME) : undefined;
  const edits = present === undefined ? values : [...values, extendComposed(document, present, members)];
  let result = '';
  let from = span.start;
  for (const edit of inOrder<TextEdit>(edits, ({ start }) => start)) {
    result += text.slice(from, edit.start) + renderElements(edit, ({ raw, content }) => content ?? raw);
    from = edit.end;
  }
  if (members === '' || present !== undefined) return result + text.slice(from, span.end);
  return `${result}${text.slice(from, span.end - 1)},"composed":{${members}}}`;
}

/** The replaced ids of a document, as the members of an object. */
function renderComposed(values: readonly ReferenceValue[]): string {
  let members = '';
  for (const { name, isList, elements } of inOrder(values, ({ batch }) => batch.order)) {
    const ids = isList ? elements.filter(({ id }) => id !== undefined) : elements;
    if (ids.length === 0) continue;
    const shown = renderElements({ isList, elements: ids }, ({ raw }) => raw);
    members += `${members === '' ? '' : ','}${name.prefix}${shown}`;
  }
  return members;
}

function renderElements(
  { isList, elements }: Pick<ReferenceValue, 'isList' | 'elements'>,
  render: (element: ValueElement) => string,
): string {
  const [only] = elements;
  if (!isList && only !== undefined) return render(only);
  return `[${elements.map(render).join(',')}]`;
}

/** The member `composed` that a document has already, with the members of the replaced ids. */
function extendComposed({ text, span }: ComposedDocument, present: TextSpan, members: string): TextEdit {
  const start = span.start + present.start;
  const end = span.start + present.end;
  const ids = parseStoredJson<JsonObject>(text.slice(start, end));
  const content = JSON.stringify({ ...ids, ...(JSON.parse(`{${members}}`) as JsonObject) });
  return { start, end, isList: false, elements: [{ raw: '', id: undefined, content }] };
}
