// The places in documents where references stand: finding the ids in them, and putting documents there. Documents are
// text: only what refers is parsed.
import { isId } from '../../lib/ids.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { findMemberSpans, type TextSpan } from '../../lib/json/json-members.ts';
import { parseStoredJson } from '../../lib/json/stored-json.ts';
import type { Collection, Field } from '../model/collection.ts';

/** The ids on the way from the root to a document: meeting one of them again is a cycle. */
interface Ancestor {
  readonly id: string;
  readonly above: Ancestor | undefined;
}

/** A document whose references are to be resolved. */
export interface CompositionNode {
  readonly text: string;
  readonly collection: Collection;
  readonly ancestors: Ancestor | undefined;
  readonly replacements: Replacement[];
}

/** JSON text, or a document that will have text once its own references are resolved. */
type NodeContent = string | CompositionNode;

/** What takes the place of one field's value. */
interface Replacement {
  readonly field: Field;
  readonly span: TextSpan;
  readonly contents: readonly NodeContent[];
  readonly isList: boolean;
  readonly ids: readonly string[];
}

/** What one request may still bring in. */
export interface CompositionQuota {
  references: number;
  characters: number;
}

/** One Reference field of one frame. */
export interface Placeholder {
  readonly node: CompositionNode;
  readonly field: Field;
  readonly span: TextSpan;
  /** The values there; `id` is set where it is to be resolved. */
  readonly entries: readonly { readonly raw: Json; readonly id?: string }[];
  readonly isList: boolean;
}

const COMPOSED_MEMBER = new Map([['"composed"', 'composed']]);
const ID_MEMBERS = new Map([['"_id"', '_id']]);
const ID_MEMBER_PREFIX = '"_id":';
const QUOTED_ID_CHARACTERS = 26;
const BACKSLASH = 0x5c;

function isAncestor(trail: Ancestor | undefined, id: string): boolean {
  for (let at = trail; at !== undefined; at = at.above) {
    if (at.id === id) return true;
  }
  return false;
}

/** The id that stands between `start` and `end` in quotes, if that is what stands there. */
function parseQuotedId(text: string, { start, end }: TextSpan): string | undefined {
  if (end - start !== QUOTED_ID_CHARACTERS || text[start] !== '"' || text[end - 1] !== '"') return undefined;
  const id = text.slice(start + 1, end - 1);
  return isId(id) ? id : undefined;
}

function parseValueAt(text: string, span: TextSpan): Json {
  // Nearly all references are a single id, which needs no parser.
  return parseQuotedId(text, span) ?? parseStoredJson<Json>(text.slice(span.start, span.end));
}

/** The `_id` of a document, undefined when it has none that is text. */
export function readDocumentId(text: string): string | undefined {
  const start = text.length - 1 - QUOTED_ID_CHARACTERS;
  const name = start - ID_MEMBER_PREFIX.length;
  // It is the last member of every document that this server wrote.
  if (text.startsWith(ID_MEMBER_PREFIX, name) && text.charCodeAt(name - 1) !== BACKSLASH) {
    const last = parseQuotedId(text, { start, end: text.length - 1 });
    if (last !== undefined) return last;
  }
  const span = findMemberSpans(text, ID_MEMBERS).get('_id');
  const id = span && parseValueAt(text, span);
  return typeof id === 'string' ? id : undefined;
}

/** The frame of a document that is asked for itself. */
export function createRootNode(collection: Collection, text: string): CompositionNode {
  const id = readDocumentId(text);
  const trail = id === undefined ? undefined : { id, above: undefined };
  return { text, collection, ancestors: trail, replacements: [] };
}

/** The frame of a document that `id` led to from `above`. */
export function createChildNode(
  collection: Collection,
  text: string,
  from: { id: string; above: CompositionNode },
): CompositionNode {
  return { text, collection, ancestors: { id: from.id, above: from.above.ancestors }, replacements: [] };
}

/**
 * The slot of a Reference field whose value stands at `span`, or undefined where there is nothing to resolve. Without
 * an allowance, or when it is used up, ids stay ids; so do those that would close a cycle. Nulls leave a list.
 */
export function createPlaceholder(
  frame: CompositionNode,
  { field, span }: { readonly field: Field; readonly span: TextSpan },
  allowance: CompositionQuota | undefined,
): Placeholder | undefined {
  const value = parseValueAt(frame.text, span);
  const isList = Array.isArray(value);
  const values: readonly Json[] = isList ? value : [value];
  if (!isList && !isId(value)) return undefined;
  const entries = values
    .filter((raw) => raw !== null)
    .map((raw) => {
      const id = isId(raw) ? raw.toLowerCase() : undefined;
      if (id === undefined || allowance === undefined || allowance.references === 0) return { raw };
      if (isAncestor(frame.ancestors, id)) return { raw };
      allowance.references -= 1;
      return { raw, id };
    });
  return { node: frame, field, span, entries, isList };
}

/**
 * Puts what was found into the slot: its text, or the frame that `enter` makes of it. `found` has the texts of
 * documents by their ids.
 */
export function fillPlaceholder(
  { node: frame, field, span, entries, isList }: Placeholder,
  found: ReadonlyMap<string, string>,
  {
    allowance,
    enter,
  }: { readonly allowance: CompositionQuota; enter(id: string, text: string): NodeContent },
): void {
  const contents = entries.map(({ raw, id }): NodeContent => {
    const text = id === undefined ? undefined : found.get(id);
    if (id === undefined || text === undefined || text.length > allowance.characters)
      return JSON.stringify(raw);
    allowance.characters -= text.length;
    return enter(id, text);
  });
  const ids = entries.map(({ raw }) => raw).filter(isId);
  frame.replacements.push({ field, span, contents, isList, ids });
}

/** The text of a document with everything in place, and the ids noted in `composed`. */
export function renderNode(frame: CompositionNode): string {
  const { text, replacements: filled } = frame;
  if (filled.length === 0) return text;
  const pieces = filled.map((one) => ({ span: one.span, shown: renderReplacement(one) }));
  const added = filled.filter(({ ids }) => ids.length > 0);
  if (added.length > 0) pieces.push(renderComposedMember(text, added));
  pieces.sort((a, b) => a.span.start - b.span.start);
  let result = '';
  let from = 0;
  for (const { span, shown } of pieces) {
    result += text.slice(from, span.start) + shown;
    from = span.end;
  }
  return result + text.slice(from);
}

function renderReplacement({ contents, isList }: Replacement): string {
  const texts = contents.map((content) => (typeof content === 'string' ? content : renderNode(content)));
  return isList ? `[${texts.join(',')}]` : (texts[0] ?? 'null');
}

/** The ids that were replaced: in the member `composed`, which is the last one unless the document has it already. */
function renderComposedMember(
  text: string,
  filled: readonly Replacement[],
): { readonly span: TextSpan; readonly shown: string } {
  const span = findMemberSpans(text, COMPOSED_MEMBER).get('composed');
  if (span === undefined) {
    const notes = filled.map(
      ({ field, ids, isList }) => `${JSON.stringify(field.name)}:${renderIds(ids, isList)}`,
    );
    const end = text.length - 1;
    return { span: { start: end, end }, shown: `,"composed":{${notes.join(',')}}` };
  }
  const added = filled.map(({ field, ids, isList }) => [field.name, isList ? ids : (ids[0] ?? null)]);
  const noted = parseValueAt(text, span) as JsonObject;
  return { span, shown: JSON.stringify({ ...noted, ...Object.fromEntries(added) }) };
}

/** Ids hold nothing that JSON would escape. */
function renderIds(ids: readonly string[], isList: boolean): string {
  const quoted = ids.map((id) => `"${id}"`).join(',');
  return isList ? `[${quoted}]` : quoted;
}
