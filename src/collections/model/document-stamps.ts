// Fields that the server sets when a document is created, updated, or kept as a revision.

import type { Json, JsonObject } from '../../lib/json/json.ts';
import { documentVersion } from '../../lib/json/stored-json.ts';
import type { StoredDocument } from '../../stores/ports.ts';
import { type Collection, INTERNAL_FIELDS } from './collection.ts';

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

/** The state after an update: the fields it names are replaced, all others stay, `v` grows by one. */
export function stampUpdated(
  collection: Collection,
  stored: StoredDocument,
  {
    fields,
    at,
    by,
    history,
  }: WriteStamp & { readonly fields: JsonObject; readonly history: readonly Json[] },
): StoredDocument {
  const state: Record<string, Json> = {};
  for (const [name, value] of Object.entries(stored)) {
    if (!INTERNAL_FIELDS.includes(name)) state[name] = value;
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
  /** Ids that the revision takes over from the `history` of the document. */
  readonly block?: readonly Json[] | undefined;
}

/** The revision that keeps `state`, without the ids of earlier revisions. */
export function createRevision(
  state: StoredDocument,
  { id, action, block }: RevisionOptions,
): StoredDocument {
  const { _id: originalDocumentId, history, v = 0, ...fields } = state;
  return { ...fields, ...(block && { history: block }), originalDocumentId, action, v, _id: id };
}
