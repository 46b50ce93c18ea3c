// The tree of a composition: finds the references in documents, and renders documents with references replaced. Documents
// are text: only the values of Reference fields are parsed.

import { parseQuotedId, readDocumentId } from '../../lib/document-id.ts';
import { isId } from '../../lib/ids.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { findMemberSpans, type TextSpan } from '../../lib/json/json-members.ts';
import { parseStoredJson } from '../../lib/json/stored-json.ts';
import type { Collection, Field } from '../model/collection.ts';

/** The ids from a document up to the root: a reference to one of them would close a cycle. */
interface Ancestor {
  readonly id: string;
  readonly parent: Ancestor | undefined;
}

/** A document whose references are to be resolved. */
export interface CompositionNode {
  readonly text: string;
  readonly collection: Collection;
  readonly ancestors: Ancestor | undefined;
  readonly replacements: Replacement[];
}

/** JSON text, or a document whose own references are resolved first. */
type NodeContent = string | CompositionNode;

/** What replaces the value of a field. */
interface Replacement {
  readonly field: Field;
  readonly span: TextSpan;
  readonly contents: readonly NodeContent[];
  readonly isList: boolean;
  readonly ids: readonly string[];
}

/** What one request may still add. */
export interface CompositionQuota {
  references: number;
  characters: number;
}

/** One Reference field of one document. */
export interface Placeholder {
  readonly node: CompositionNode;
  readonly field: Field;
  readonly span: TextSpan;
  /** The values; `id` is set where it is to be resolved. */
  readonly entries: readonly { readonly raw: Json; readonly id?: string }[];
  readonly isList: boolean;
}

const COMPOSED_MEMBER = new Map([['"composed"', 'composed']]);
function isAncestor(nearest: Ancestor | undefined, id: string): boolean {
  for (let ancestor = nearest; ancestor !== undefined; ancestor = ancestor.parent) {
    if (ancestor.id === id) return true;
  }
  return false;
}

function parseValueAt(text: string, span: TextSpan): Json {
  // Nearly all references are a single id, which needs no parser.
  return parseQuotedId(text, span) ?? parseStoredJson<Json>(text.slice(span.start, span.end));
}

/** The node of a document of the response. */
export function createRootNode(collection: Collection, text: string): CompositionNode {
  const id = readDocumentId(text);
  const ancestors = id === undefined ? undefined : { id, parent: undefined };
  return { text, collection, ancestors, replacements: [] };
}

/** The node of the document with `id`, to which `parent` refers. */
export function createChildNode(
  collection: Collection,
  text: string,
  { id, parent }: { readonly id: string; readonly parent: CompositionNode },
): CompositionNode {
  return { text, collection, ancestors: { id, parent: parent.ancestors }, replacements: [] };
}

/**
 * The placeholder of a Reference field with its value at `span`; undefined where there is nothing to resolve. Without a
 * quota, or when it is used up, ids stay; so do those that would close a cycle. Nulls are left out of lists.
 */
export function createReferencePlaceholder(
  node: CompositionNode,
  { field, span }: { readonly field: Field; readonly span: TextSpan },
  quota: CompositionQuota | undefined,
): Placeholder | undefined {
  const value = parseValueAt(node.text, span);
  const entryOf = (raw: Json) => {
    const id = isId(raw) ? raw.toLowerCase() : undefined;
    if (id === undefined || quota === undefined || quota.references === 0) return { raw };
    if (isAncestor(node.ancestors, id)) return { raw };
    quota.references -= 1;
    return { raw, id };
  };
  if (Array.isArray(value)) {
    const entries = value.filter((raw) => raw !== null).map(entryOf);
    return { node, field, span, entries, isList: true };
  }
  return isId(value) ? { node, field, span, entries: [entryOf(value)], isList: false } : undefined;
}

/**
 * Fills a placeholder with the documents found: their text, or the node that `createContent` makes of it. `found` has the
 * texts of documents by their ids.
 */
export function fillPlaceholder(
  { node, field, span, entries, isList }: Placeholder,
  found: ReadonlyMap<string, string>,
  {
    quota,
    createContent,
  }: { readonly quota: CompositionQuota; createContent(id: string, text: string): NodeContent },
): void {
  const contents = entries.map(({ raw, id }): NodeContent => {
    const text = id === undefined ? undefined : found.get(id);
    if (id === undefined || text === undefined || text.length > quota.characters) return JSON.stringify(raw);
    quota.characters -= text.length;
    return createContent(id, text);
  });
  const ids = entries.map(({ raw }) => raw).filter(isId);
  node.replacements.push({ field, span, contents, isList, ids });
}

/** The text of a document with its references replaced, and the replaced ids in the member `composed`. */
export function renderNode({ text, replacements }: CompositionNode): string {
  if (replacements.length === 0) return text;
  const edits = replacements.map((replacement) => ({
    span: replacement.span,
    text: renderReplacement(replacement),
  }));
  const withIds = replacements.filter(({ ids }) => ids.length > 0);
  if (withIds.length > 0) edits.push(renderComposedMember(text, withIds));
  edits.sort((a, b) => a.span.start - b.span.start);
  let result = '';
  let from = 0;
  for (const { span, text: inserted } of edits) {
    result += text.slice(from, span.start) + inserted;
    from = span.end;
  }
  return result + text.slice(from);
}

function renderReplacement({ contents, isList }: Replacement): string {
  const texts = contents.map((content) => (typeof content === 'string' ? content : renderNode(content)));
  return isList ? `[${texts.join(',')}]` : (texts[0] ?? 'null');
}

/** The member `composed` with the replaced ids. It is the last member unless the document has one already. */
function renderComposedMember(
  text: string,
  replacements: readonly Replacement[],
): { readonly span: TextSpan; readonly text: string } {
  const span = findMemberSpans(text, COMPOSED_MEMBER).get('composed');
  if (span === undefined) {
    const members = replacements.map(
      ({ field, ids, isList }) => `${JSON.stringify(field.name)}:${renderIds(ids, isList)}`,
    );
    const end = text.length - 1;
    return { span: { start: end, end }, text: `,"composed":{${members.join(',')}}` };
  }
  const added = replacements.map(({ field, ids, isList }) => [field.name, isList ? ids : (ids[0] ?? null)]);
  const present = parseValueAt(text, span) as JsonObject;
  return { span, text: JSON.stringify({ ...present, ...Object.fromEntries(added) }) };
}

/** Ids need no escaping in JSON. */
function renderIds(ids: readonly string[], isList: boolean): string {
  const quoted = ids.map((id) => `"${id}"`).join(',');
  return isList ? `[${quoted}]` : quoted;
}
