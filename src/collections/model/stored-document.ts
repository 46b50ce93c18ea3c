// A document and its revisions as they are stored: the fields that the server sets, the ids of revisions in `history`, and the size,
// which is bounded by what a collection can hold, and what can be read again, on either store.

import type { Json, JsonObject } from '../../lib/json/json.ts';
import { documentVersion } from '../../lib/json/stored-json.ts';
import type { Filter } from '../../stores/filter.ts';
import type { IndexDefinition, Namespace, StoredDocument } from '../../stores/ports.ts';
import { type Collection, INTERNAL_FIELDS } from './collection.ts';

/** The member of a revision that names its collection. Answers do not show it. */
export const REVISION_OWNER = 'originalCollection';

/** The member of the last revision of a removed document that tells when it was removed and by whom; gone when it comes back. */
export const REVISION_REMOVAL = 'originalRemoval';

/** The path of that moment. */
export const REMOVED_AT = `${REVISION_REMOVAL}.at`;

/** The name of a collection in its revisions: that under which its documents are stored. */
export const ownerOf = ({ namespace }: Pick<Collection, 'namespace'>): string => namespace.collection;

/** What the server keeps in revisions for itself: answers do not show it. */
export const HIDDEN_REVISION_MEMBERS: readonly string[] = [REVISION_OWNER, REVISION_REMOVAL];

/** What a revision holds beside the state of the document. */
export const REVISION_MEMBERS: readonly string[] = [
  'action',
  'originalDocumentId',
  ...HIDDEN_REVISION_MEMBERS,
];

/** Who writes, and when. */
export interface WriteStamp {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly by: string | null;
}

type RevisionAction = 'create' | 'update' | 'delete';

/** A new document. `history` is undefined where the collection keeps no revisions. */
export function stampCreated(
  collection: Collection,
  fields: JsonObject,
  {
    at,
    by,
    id,
    history,
  }: WriteStamp & { readonly id: string; readonly history: readonly Json[] | undefined },
): StoredDocument {
  const { version: apiVersion } = collection;
  return history === undefined
    ? { ...fields, apiVersion, createdAt: at, createdBy: by, v: 1, _id: id }
    : { ...fields, apiVersion, createdAt: at, createdBy: by, history, v: 1, _id: id };
}

/** The state after an update: the fields it names are replaced or removed, all others stay, `v` grows by one. */
export function stampUpdated(
  collection: Collection,
  stored: StoredDocument,
  {
    fields,
    removed = [],
    at,
    by,
    history,
  }: WriteStamp & {
    readonly fields: JsonObject;
    readonly removed?: readonly string[];
    readonly history: readonly Json[];
  },
): StoredDocument {
  const state: Record<string, Json> = {};
  const gone = new Set(removed);
  for (const [name, value] of Object.entries(stored)) {
    if (!INTERNAL_FIELDS.includes(name) && !gone.has(name)) state[name] = value;
  }
  Object.assign(state, fields);
  state['apiVersion'] = collection.version;
  for (const name of ['createdAt', 'createdBy'] as const) {
    const value = stored[name];
    if (value !== undefined) state[name] = value;
  }
  state['lastModifiedAt'] = at;
  state['lastModifiedBy'] = by;
  if (history.length > 0 || collection.settings.storeRevisions) state['history'] = history;
  state['v'] = documentVersion(stored) + 1;
  return { ...state, _id: stored._id };
}

export interface RevisionOptions {
  readonly id: string;
  readonly action: RevisionAction;
  /** Name of the collection of the document. */
  readonly originalCollection: string;
  /** When the document was removed, and by whom. */
  readonly removal?: WriteStamp | undefined;
  /** Ids that the revision takes over from the `history` of the document. */
  readonly block?: readonly Json[] | undefined;
}

/** The revision that keeps `state`, without the ids of earlier revisions. */
export function createRevision(
  state: StoredDocument,
  { id, action, originalCollection, removal, block }: RevisionOptions,
): StoredDocument {
  const { _id: originalDocumentId, history, v = 0, ...fields } = state;
  const about = {
    originalDocumentId,
    originalCollection,
    action,
    ...(removal && { [REVISION_REMOVAL]: { at: removal.at, by: removal.by } }),
  };
  return { ...fields, ...(block && { history: block }), ...about, v, _id: id };
}

/** The revisions of one document in the order of its states, also when the document itself is gone. */
export const REVISION_INDEX: IndexDefinition = {
  name: 'originalDocumentId_1_v_1',
  keys: [
    { path: 'originalDocumentId', direction: 1 },
    { path: 'v', direction: 1 },
  ],
  unique: false,
  sparse: false,
};

/** The removed documents of a collection, in the order in which they were removed. */
const REMOVAL_INDEX: IndexDefinition = {
  name: 'originalRemoval.at_1',
  keys: [{ path: REMOVED_AT, direction: 1 }],
  unique: false,
  sparse: true,
};

/** The indexes of a namespace of revisions. */
export const REVISION_INDEXES: readonly IndexDefinition[] = [REVISION_INDEX, REMOVAL_INDEX];

/** The namespace of a collection's revisions, whether or not it keeps any at present. */
export function revisionNamespaceOf({
  namespace,
  settings,
}: Pick<Collection, 'namespace' | 'settings'>): Namespace {
  return { ...namespace, collection: settings.revisionCollection };
}

/** The revisions of one document. */
export function revisionsFilter(id: string): Filter {
  return { kind: 'field', path: 'originalDocumentId', tests: [{ kind: 'eq', value: id }] };
}

/** The namespace of a collection's revisions; undefined where it keeps none. */
export function activeRevisionNamespace(
  collection: Pick<Collection, 'namespace' | 'settings'>,
): Namespace | undefined {
  return collection.settings.storeRevisions ? revisionNamespaceOf(collection) : undefined;
}

/**
 * A stored document holds the first so many ids in `history`, and behind them the latest. Whenever `v` is a multiple of
 * this number the latest become a block: the revision of that state takes them over into its own `history`, and the
 * document keeps the id of that revision in their place. So a block begins with the id of the revision that has the
 * block before it. `reads/history-loader.ts` follows this chain.
 */
export const HISTORY_BLOCK_SIZE = 100;

/** The ids of revisions that a stored document holds itself, oldest first. */
export function revisionIds(document: JsonObject): readonly Json[] {
  const history = document['history'];
  return Array.isArray(history) ? history : [];
}

/** What the document keeps of its `history` in state `v`, and the block that the revision of that state takes over. */
export function splitHistory(
  history: readonly Json[],
  v: number,
): { readonly kept: readonly Json[]; readonly block: readonly Json[] | undefined } {
  if (v % HISTORY_BLOCK_SIZE !== 0 || history.length <= HISTORY_BLOCK_SIZE)
    return { kept: history, block: undefined };
  return { kept: history.slice(0, HISTORY_BLOCK_SIZE), block: history.slice(HISTORY_BLOCK_SIZE) };
}

/**
 * The block that a revision has. Undefined where it has none: in data of the older server each revision lists all ids before it,
 * from the document's first on.
 */
export function revisionBlock(revision: JsonObject, first: Json | undefined): readonly Json[] | undefined {
  const ids = revisionIds(revision);
  return ids.length === 0 || ids[0] === first ? undefined : ids;
}

/** Bytes that one document may have as BSON. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

// One character of JSON becomes at most 7 bytes: in a list of digits, `1,` is an entry of up to 13.
const MAX_SMALL_CHARACTERS = Math.floor(MAX_DOCUMENT_BYTES / 7);
const INT32_LIMIT = 2 ** 31;

/**
 * Characters that the JSON text of one document may have: control characters take six each, and a read returns 64 Mi at
 * the most.
 */
export const MAX_DOCUMENT_CHARACTERS = 60 * 1024 * 1024;

/** What is wrong with a document that is too large to be kept, or to be read again. `text` is its JSON. */
export function sizeIssue(document: Json, text: string): string | undefined {
  if (text.length <= MAX_SMALL_CHARACTERS) return undefined;
  if (text.length > MAX_DOCUMENT_CHARACTERS) {
    return `has more than ${MAX_DOCUMENT_CHARACTERS} characters as JSON, where control characters take six each`;
  }
  return bsonBytes(document) > MAX_DOCUMENT_BYTES ? 'is larger than 16 MB' : undefined;
}

/** Bytes of a value in BSON, without its type byte and name. */
export function bsonBytes(value: Json): number {
  if (value === null) return 0;
  if (typeof value === 'boolean') return 1;
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < INT32_LIMIT ? 4 : 8;
  if (typeof value === 'string') return Buffer.byteLength(value) + 5;
  return Array.isArray(value) ? listBytes(value) : objectBytes(value as JsonObject);
}

function objectBytes(object: JsonObject): number {
  let bytes = 5;
  for (const [name, member] of Object.entries(object)) {
    bytes += Buffer.byteLength(name) + 2 + bsonBytes(member);
  }
  return bytes;
}

/** In BSON a list is an object whose names are the positions. */
function listBytes(list: readonly Json[]): number {
  let bytes = 5;
  let digits = 1;
  let nextLength = 10;
  for (let position = 0; position < list.length; position += 1) {
    if (position === nextLength) {
      digits += 1;
      nextLength *= 10;
    }
    bytes += digits + 2 + bsonBytes(list[position] ?? null);
  }
  return bytes;
}
