// The tree of a composition: finds the references in documents, and renders documents with references replaced. Documents
// are text: only the values of Reference fields are parsed.

import { isId } from '../../lib/ids.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import {
  findMember,
  type MemberName,
  memberName,
  parseQuotedId,
  parseStoredJson,
  readDocumentId,
  type TextSpan,
} from '../../lib/json/stored-json.ts';
import type { Collection, Field } from '../model/collection.ts';

/** A document whose references are to be resolved. */
export interface CompositionNode {
  readonly text: string;
  readonly collection: Collection;
  /** A reference to a node or to one above it would close a cycle. */
  readonly id: string | undefined;
  readonly parent: CompositionNode | undefined;
  /** The placeholders that are filled. */
  readonly filled: Placeholder[];
}

/** JSON text, or a document whose own references are resolved first. */
type NodeContent = string | CompositionNode;

/** A Reference field, and its name as it stands in documents. */
export interface ReferenceName extends MemberName {
  readonly field: Field;
}

/** One value of a Reference field. */
interface PlaceholderEntry {
  readonly raw: Json;
  /** Set where it is to be resolved. */
  readonly id: string | undefined;
  /** What replaces it; undefined: it stays. */
  content: NodeContent | undefined;
}

/** One Reference field of one document. */
export interface Placeholder {
  readonly node: CompositionNode;
  readonly name: ReferenceName;
  readonly span: TextSpan;
  readonly entries: readonly PlaceholderEntry[];
  readonly isList: boolean;
}

/** What one request may still add. */
export interface CompositionQuota {
  references: number;
  characters: number;
}

const COMPOSED_NAME = memberName('composed');

/** The node of a document of the response. */
export function createRootNode(collection: Collection, text: string): CompositionNode {
  return { text, collection, id: readDocumentId(text), parent: undefined, filled: [] };
}

/** The node of the document with `id`, to which `parent` refers. */
export function createChildNode(
  collection: Collection,
  text: string,
  { id, parent }: { readonly id: string; readonly parent: CompositionNode },
): CompositionNode {
  return { text, collection, id, parent, filled: [] };
}

/**
 * The placeholder of a Reference field with its value at `span`; undefined where there is nothing to resolve. Without a
 * quota, or when it is used up, ids stay; so do those that would close a cycle. Nulls are left out of lists.
 */
export function createReferencePlaceholder(
  node: CompositionNode,
  { name, span }: { readonly name: ReferenceName; readonly span: TextSpan },
  quota: CompositionQuota | undefined,
): Placeholder | undefined {
  // Nearly all references are a single id, which needs no parser.
  const value = parseQuotedId(node.text, span) ?? parseValueAt(node.text, span);
  if (Array.isArray(value)) {
    const present = (value as readonly Json[]).filter((raw) => raw !== null);
    const entries = present.map((raw) => createEntry(node, raw, isId(raw) ? quota : undefined));
    return { node, name, span, entries, isList: true };
  }
  return isId(value)
    ? { node, name, span, entries: [createEntry(node, value, quota)], isList: false }
    : undefined;
}

function createEntry(
  node: CompositionNode,
  raw: Json,
  quota: CompositionQuota | undefined,
): PlaceholderEntry {
  if (quota === undefined || quota.references === 0) return { raw, id: undefined, content: undefined };
  const id = String(raw).toLowerCase();
  if (isWithin(node, id)) return { raw, id: undefined, content: undefined };
  quota.references -= 1;
  return { raw, id, content: undefined };
}

/** True for the id of the node or of one above it. */
function isWithin(node: CompositionNode, id: string): boolean {
  for (let at: CompositionNode | undefined = node; at !== undefined; at = at.parent) {
    if (at.id === id) return true;
  }
  return false;
}

const parseValueAt = (text: string, { start, end }: TextSpan) =>
  parseStoredJson<Json>(text.slice(start, end));

/** Makes of the text of a document what stands in place of its id. */
export type CreateContent = (text: string, id: string, parent: CompositionNode) => NodeContent;

/** Fills a placeholder with the documents found, whose texts `found` has by their ids. */
export function fillPlaceholder(
  placeholder: Placeholder,
  found: ReadonlyMap<string, string>,
  { quota, createContent }: { readonly quota: CompositionQuota; readonly createContent: CreateContent },
): void {
  const { node, entries } = placeholder;
  for (const entry of entries) {
    const text = entry.id === undefined ? undefined : found.get(entry.id);
    if (entry.id === undefined || text === undefined || text.length > quota.characters) continue;
    quota.characters -= text.length;
    entry.content = createContent(text, entry.id, node);
  }
  node.filled.push(placeholder);
}

/** A part of a text, and what replaces it. */
interface TextEdit extends TextSpan {
  readonly text: string;
}

/** The text of a document with its references replaced, and the replaced ids in the member `composed`. */
export function renderNode({ text, filled }: CompositionNode): string {
  if (filled.length === 0) return text;
  const edits = filled.map(
    (placeholder): TextEdit => ({
      start: placeholder.span.start,
      end: placeholder.span.end,
      text: renderValue(placeholder),
    }),
  );
  const composed = filled.filter(({ isList, entries }) => !isList || entries.some(({ raw }) => isId(raw)));
  const present = composed.length === 0 ? undefined : findMember(text, COMPOSED_NAME);
  if (present !== undefined) edits.push({ ...present, text: extendComposed(text, present, composed) });
  if (edits.length > 1) edits.sort((a, b) => a.start - b.start);
  let result = '';
  let from = 0;
  for (const edit of edits) {
    result += text.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  if (composed.length === 0 || present !== undefined) return result + text.slice(from);
  const members = composed.map((placeholder) => placeholder.name.first + renderIds(placeholder));
  return `${result}${text.slice(from, -1)},"composed":{${members.join(',')}}}`;
}

function renderValue({ entries, isList }: Placeholder): string {
  const [only] = entries;
  if (!isList && only !== undefined) return renderEntry(only);
  return `[${entries.map(renderEntry).join(',')}]`;
}

function renderEntry({ raw, content }: PlaceholderEntry): string {
  if (content === undefined) return JSON.stringify(raw);
  return typeof content === 'string' ? content : renderNode(content);
}

/** The member `composed` that a document has already, with the replaced ids. */
function extendComposed(text: string, span: TextSpan, composed: readonly Placeholder[]): string {
  const added = composed.map((placeholder) => [
    placeholder.name.field.name,
    JSON.parse(renderIds(placeholder)) as Json,
  ]);
  const present = (parseQuotedId(text, span) ?? parseValueAt(text, span)) as JsonObject;
  return JSON.stringify({ ...present, ...Object.fromEntries(added) });
}

/** The replaced ids as JSON text. They need no escaping. */
function renderIds({ entries, isList }: Placeholder): string {
  if (!isList) return `"${entries[0]?.raw}"`;
  const ids = entries.flatMap(({ raw }) => (isId(raw) ? [`"${raw}"`] : []));
  return `[${ids.join(',')}]`;
}
