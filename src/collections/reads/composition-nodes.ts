// The tree of a composition: documents with the references in them, and their text with the references replaced. Documents are
// text: only the values of Reference fields are parsed.

import { isId } from '../../lib/ids.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import {
  findMember,
  forEachNamedMember,
  type MemberName,
  type MemberNames,
  memberName,
  parseQuotedId,
  parseStoredJson,
  type TextSpan,
} from '../../lib/json/stored-json.ts';
import type { Field } from '../model/collection.ts';

/** A document whose references are resolved. */
export interface CompositionNode {
  readonly text: string;
  /** A reference to a node or to one above it would close a cycle. */
  readonly id: string | undefined;
  /** Key of the namespace of the document. */
  readonly namespace: string;
  readonly parent: CompositionNode | undefined;
  readonly references: readonly Reference[];
}

/** A Reference field, and its name as it stands in documents. */
export interface ReferenceName extends MemberName {
  readonly field: Field;
  /** In front of the value, where the member is not the first of its object. */
  readonly following: string;
}

/** Prepares the name of a Reference field for searches. */
export function referenceName(field: Field): ReferenceName {
  const name = memberName(field.name);
  return { ...name, field, following: `,${name.prefix}` };
}

/** A Reference field of one document, with an id or a list. */
interface Reference {
  readonly name: ReferenceName;
  readonly span: TextSpan;
  /** References of one document are in the member `composed` in the order of their batches. */
  readonly batch: ReferenceBatch;
  readonly value: ReferenceValue | readonly ReferenceValue[];
}

/** An id, or another element of a list. */
interface ReferenceValue {
  readonly raw: Json;
  /** What replaces it: JSON text, or a document whose own references are resolved first. Undefined: it stays. */
  content: string | CompositionNode | undefined;
}

/** An id that is to be resolved. */
export interface ResolvableId extends Pick<ReferenceValue, 'content'> {
  /** In lower case. */
  readonly id: string;
  /** The document in which it stands. Absent on a page, whose references are resolved one level deep. */
  readonly node?: CompositionNode;
}

/** Ids of one level that are resolved together. */
export interface ReferenceBatch {
  /** Its place among the batches of the level. */
  readonly order: number;
  /** Undefined where the documents behind the ids cannot be read: the ids stay. */
  readonly ids: ResolvableId[] | undefined;
  /** Key of the namespace of these documents. */
  readonly namespace: string | undefined;
}

/** What one request may still add. */
export interface CompositionQuota {
  references: number;
  characters: number;
}

/** How the references of a document are found, and the batches they go to. */
export interface ReferenceCollector {
  readonly names: MemberNames<ReferenceName>;
  /** Key of the namespace of the documents in which they are found. */
  readonly namespace: string;
  readonly quota: CompositionQuota;
  batchFor(field: Field): ReferenceBatch;
}

const COMPOSED_NAME = memberName('composed');

// One class, at the beginning: the engine searches for it in two thirds of the time that the pattern of the name takes.
const ENDS_AS_COMPOSED = /[c]omposed":/;

/** False for a text without a member `composed`, at any depth. */
export const mayHaveComposed = (text: string): boolean => ENDS_AS_COMPOSED.test(text);

/**
 * Creates the node of a document and adds its references to their batches. When the quota is used up, ids stay; so do those that
 * would close a cycle. Nulls are left out of lists.
 */
export function createNode(
  { text, id, parent }: Pick<CompositionNode, 'text' | 'id' | 'parent'>,
  { names, namespace, quota, batchFor }: ReferenceCollector,
): CompositionNode {
  const references: Reference[] = [];
  const node: CompositionNode = { text, id, namespace, parent, references };
  forEachNamedMember(text, names, (name, span) => {
    const batch = batchFor(name.field);
    // Nearly all references are a single id, which needs no parser.
    const only = parseQuotedId(text, span);
    if (only !== undefined) {
      const raw = text.slice(span.start + 1, span.end - 1);
      references.push({ name, span, batch, value: addId(node, { raw, id: only }, { batch, quota }) });
      return;
    }
    const list = parseValueAt(text, span);
    if (!Array.isArray(list)) return;
    const elements = (list as readonly Json[]).filter((raw) => raw !== null);
    const value = elements.map((raw) =>
      isId(raw) ? addId(node, { raw, id: raw.toLowerCase() }, { batch, quota }) : { raw, content: undefined },
    );
    references.push({ name, span, batch, value });
  });
  return node;
}

function addId(
  node: CompositionNode,
  { raw, id }: { readonly raw: string; readonly id: string },
  { batch: { ids, namespace }, quota }: { readonly batch: ReferenceBatch; readonly quota: CompositionQuota },
): ReferenceValue {
  if (ids === undefined || quota.references === 0) return { raw, content: undefined };
  if (isWithin(node, id, namespace)) return { raw, content: undefined };
  quota.references -= 1;
  const value = { raw, content: undefined, id, node };
  ids.push(value);
  return value;
}

/** Puts a document in the place of its id, unless the quota is used up. With `collector` its own references are resolved too. */
export function embedDocument(
  reference: ResolvableId,
  text: string,
  {
    quota,
    collector,
  }: { readonly quota: CompositionQuota; readonly collector?: ReferenceCollector | undefined },
): void {
  if (text.length > quota.characters) return;
  quota.characters -= text.length;
  const { id, node: parent } = reference;
  reference.content = collector === undefined ? text : createNode({ text, id, parent }, collector);
}

/** True for the document of the node or of one above it. Documents of several collections may have the same id. */
function isWithin(node: CompositionNode, id: string, namespace: string | undefined): boolean {
  for (let at: CompositionNode | undefined = node; at !== undefined; at = at.parent) {
    if (at.id === id && at.namespace === namespace) return true;
  }
  return false;
}

const parseValueAt = (text: string, { start, end }: TextSpan) =>
  parseStoredJson<Json>(text.slice(start, end));

/** A part of a text, and what replaces it. */
type TextEdit = Pick<Reference, 'span' | 'value'>;

/** The text of a document with its references replaced, and the replaced ids in the member `composed`. */
export function renderNode({ text, references }: CompositionNode): string {
  if (references.length === 0) return text;
  const members = renderComposed(text, references);
  const present = members !== '' && mayHaveComposed(text) ? findMember(text, COMPOSED_NAME) : undefined;
  const edits = present === undefined ? references : [...references, extendComposed(text, present, members)];
  let result = '';
  let from = 0;
  for (const { span, value } of inOrder<TextEdit>(edits, (a, b) => a.span.start - b.span.start)) {
    result += text.slice(from, span.start) + renderValue(value);
    from = span.end;
  }
  if (members === '' || present !== undefined) return result + text.slice(from);
  return `${result}${text.slice(from, -1)},"composed":{${members}}}`;
}

/** The replaced ids of a document, as the members of an object. */
function renderComposed(text: string, references: readonly Reference[]): string {
  let members = '';
  for (const { name, span, value } of inBatchOrder(references)) {
    const ids = isList(value) ? renderIds(value) : text.slice(span.start, span.end);
    if (ids !== '[]') members = addMember(members, name, ids);
  }
  return members;
}

/** Sorted, unless there is nothing to sort, as in nearly all documents. */
export const inOrder = <T>(items: readonly T[], compare: (a: T, b: T) => number) =>
  items.length > 1 ? items.toSorted(compare) : items;

/** The references of a document in the order in which `composed` has them. */
export const inBatchOrder = <T extends Pick<Reference, 'batch'>>(references: readonly T[]) =>
  inOrder(references, (a, b) => a.batch.order - b.batch.order);

/** Adds the ids of a field, as JSON text, to the text of members. */
export const addMember = (members: string, { prefix }: MemberName, ids: string) =>
  `${members === '' ? '' : `${members},`}${prefix}${ids}`;

/** The member `composed` that a document has already, with the members of the replaced ids. */
function extendComposed(text: string, span: TextSpan, members: string): TextEdit {
  const present = parseValueAt(text, span) as JsonObject;
  const content = JSON.stringify({ ...present, ...(JSON.parse(`{${members}}`) as JsonObject) });
  return { span, value: { raw: null, content } };
}

const isList = (value: Reference['value']): value is readonly ReferenceValue[] => Array.isArray(value);

const renderValue = (value: Reference['value']) =>
  isList(value) ? `[${value.map(renderContent).join(',')}]` : renderContent(value);

function renderContent({ raw, content }: ReferenceValue): string {
  if (content === undefined) return JSON.stringify(raw);
  return typeof content === 'string' ? content : renderNode(content);
}

/** The ids of a list as JSON text. They need no escaping. */
function renderIds(values: readonly ReferenceValue[]): string {
  const ids = values.flatMap(({ raw }) => (isId(raw) ? [`"${raw}"`] : []));
  return `[${ids.join(',')}]`;
}
