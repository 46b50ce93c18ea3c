// Documents that come inside of another one: created or changed in the collection that the field leads to, by its own rules.
import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { decide, fieldRejectionOf, mayUseField, rejectionOf } from './decisions.ts';
import { isSubDocument, readable } from './views.ts';
import {
  type Collections,
  INTERNALS,
  type ModelCaller,
  type ModelCollection,
  type ModelDocument,
  targetOf,
} from './world.ts';

/** A state that a write makes, beside the one before, where there was one. */
export interface Change {
  readonly collection: ModelCollection;
  readonly before: ModelDocument | undefined;
  readonly after: ModelDocument;
}

export interface Resolved {
  /** The body with ids in the place of sub-documents. */
  readonly body: JsonObject;
  readonly changes: readonly Change[];
  /** Statuses with which it may be refused; empty: it is not. */
  readonly rejections: readonly number[];
  readonly hasSubDocuments: boolean;
}

/** The statuses for fields that the caller may not set. */
export function closedFields(
  caller: ModelCaller,
  collection: ModelCollection,
  body: JsonObject,
  before: ModelDocument | undefined,
): readonly number[] {
  const removed = (body['$unset'] ?? []) as readonly string[];
  const closed = [...Object.keys(body), ...removed].filter((name) => {
    if (INTERNALS.has(name) || name === '$unset' || mayUseField(caller, collection, name, 'write'))
      return false;
    // What was fetched can be sent back as it is.
    const isAsFetched =
      before !== undefined &&
      mayUseField(caller, collection, name, 'read') &&
      isDeepStrictEqual(before[name], body[name]);
    return !isAsFetched;
  });
  return closed.length === 0 ? [] : [fieldRejectionOf(caller)];
}

const withoutInternals = (body: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !INTERNALS.has(name)));

/** The model has no clock: every document is of today. */
const SOME_TIME = '2026-01-01T00:00:00.000Z';

/** The document that a body makes, or makes of another one. */
export function stateAfter(
  { clientId }: ModelCaller,
  before: ModelDocument | undefined,
  body: JsonObject,
  newId: () => string,
): ModelDocument {
  if (before === undefined)
    return {
      ...withoutInternals(body),
      _id: newId(),
      v: 1,
      createdAt: SOME_TIME,
      createdBy: clientId,
    } as ModelDocument;
  const { $unset = [], ...fields } = withoutInternals(body);
  const kept = Object.entries(before).filter(([name]) => !($unset as readonly string[]).includes(name));
  return {
    ...(Object.fromEntries(kept) as unknown as ModelDocument),
    ...fields,
    v: before.v + 1,
    lastModifiedBy: clientId,
  };
}

/** Takes the sub-documents out of bodies. `newId` makes the ids of new documents. */
export function createSubDocuments(collections: Collections, newId: () => string) {
  function createOne(caller: ModelCaller, target: ModelCollection, body: JsonObject) {
    const right = decide(caller, target, 'create');
    const rejection = rejectionOf(caller, target.specification);
    const after = stateAfter(caller, undefined, body, newId);
    const rejections = right.isAddressed
      ? [...closedFields(caller, target, body, undefined), ...(right.allows(after) ? [] : [rejection])]
      : [rejection, ...closedFields(caller, target, body, undefined)];
    return { id: after._id, change: { collection: target, before: undefined, after }, rejections };
  }

  function updateOne(caller: ModelCaller, target: ModelCollection, body: JsonObject) {
    const id = String(body['_id']);
    const fields = withoutInternals(body);
    if (Object.keys(fields).length === 0) return { id, rejections: [] };
    const rejection = rejectionOf(caller, target.specification);
    const right = decide(caller, target, 'update');
    const before = readable(caller, target, id);
    // As for an id that no document has; where the caller may change nothing there, that may be said first.
    const closed = closedFields(caller, target, fields, before);
    if (before === undefined)
      return { id, rejections: [400, ...closed, ...(right.isAddressed ? [] : [rejection])] };
    const isUnchanged = Object.entries(fields).every(
      ([name, value]) => mayUseField(caller, target, name, 'read') && isDeepStrictEqual(before[name], value),
    );
    if (isUnchanged) return { id, rejections: [] };
    if (!right.isAddressed) return { id, rejections: [rejection, ...closed] };
    const after = stateAfter(caller, before, fields, newId);
    const isAllowed = right.allows(before) && right.allows(after);
    const rejections = [...closed, ...(isAllowed ? [] : [rejection])];
    return { id, change: { collection: target, before, after }, rejections };
  }

  return (caller: ModelCaller, collection: ModelCollection, body: JsonObject): Resolved => {
    const changes: Change[] = [];
    const rejections: number[] = [];
    let hasSubDocuments = false;
    const resolved = Object.entries(body).map(([name, value]) => {
      const target = targetOf(collections, collection, name);
      if (target === undefined) return [name, value];
      const resolve = (element: Json): Json => {
        if (!isSubDocument(element)) return element;
        hasSubDocuments = true;
        const {
          id,
          change,
          rejections: those,
        } = '_id' in element ? updateOne(caller, target, element) : createOne(caller, target, element);
        rejections.push(...those);
        if (change !== undefined) changes.push(change);
        return id;
      };
      const list = Array.isArray(value);
      return [name, list ? value.map((entry) => resolve(entry as Json)) : resolve(value as Json)];
    });
    return { body: Object.fromEntries(resolved), changes, rejections, hasSubDocuments };
  };
}
