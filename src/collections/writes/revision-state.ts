// The state that a revision keeps: what a document that gets it back consists of, and what goes. `WritePlan` makes revisions.
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { type Collection, INTERNAL_FIELDS } from '../model/collection.ts';
import { recordFieldType } from '../model/media-record-fields.ts';
import { REVISION_MEMBERS } from '../model/stored-document.ts';
import { UNSET } from './request-body.ts';
import type { WriteDeps } from './write-deps.ts';

type Registry = Pick<WriteDeps['registry'], 'holdsRecords'>;

/** Fields that no revision brings back: the server writes them, or revisions use their names themselves. */
function isKept(collection: Collection, registry: Registry, name: string): boolean {
  if (INTERNAL_FIELDS.includes(name) || REVISION_MEMBERS.includes(name)) return true;
  return recordFieldType(name) !== undefined && registry.holdsRecords(collection);
}

/**
 * The fields of a document in the state that `revision` keeps. A required field that it does not have, because it came later, has
 * its default.
 */
export function stateOf(
  { registry }: { readonly registry: Registry },
  collection: Collection,
  revision: JsonObject,
): JsonObject {
  const kept = Object.entries(revision).filter(([name]) => !isKept(collection, registry, name));
  const state: Record<string, Json> = Object.fromEntries(kept);
  for (const { name, required, default: value } of collection.fields.values()) {
    if (required && value !== undefined && !Object.hasOwn(state, name)) state[name] = value;
  }
  return state;
}

/** The update that brings the document `stored` into a state: its fields, and in `$unset` all that came later. */
export function bodyOfState(
  { registry }: { readonly registry: Registry },
  collection: Collection,
  state: JsonObject,
  stored: JsonObject = {},
): JsonObject {
  const later = Object.keys(stored).filter(
    (name) => !Object.hasOwn(state, name) && !isKept(collection, registry, name),
  );
  return later.length === 0 ? state : { ...state, [UNSET]: later };
}
