// Fields that a caller may not write. Only what the client itself sent is held against them, hooks may set them. A fetched document can
// be sent back as it is: what the caller may read, and sends as it is stored, is left alone.
import { isDeepStrictEqual } from 'node:util';
import type { AppError } from '../../errors/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { StoredDocument } from '../../stores/ports.ts';
import type { CollectionAccess } from '../model/access.ts';
import { type Collection, isReference } from '../model/collection.ts';
import type { Caller } from '../model/documents.ts';
import { findWritableTarget, hasSubDocuments, stripServerFields } from './extract-sub-documents.ts';
import { assertPermittedTarget, createStateTest, writeError } from './permitted-states.ts';
import type { BodyPosition } from './planned-write.ts';
import { UNSET } from './request-body.ts';
import type { WriteDeps } from './write-deps.ts';

/** A value that a client sent for a field that it may not write. */
export interface ClosedValue {
  readonly collection: Collection;
  /** The document that it belongs to. */
  readonly id: string;
  readonly name: string;
  readonly value: Json;
  readonly position: BodyPosition;
}

/** A document of a request, as it was sent. */
interface SentDocument {
  readonly collection: Collection;
  /** Undefined for a new one, and for the fields that a write by query sets. */
  readonly id: string | undefined;
  readonly position: BodyPosition;
}

interface ClosedDeps {
  readonly registry: Pick<WriteDeps['registry'], 'get' | 'isRevisionCollection' | 'holdsRecords'>;
}

const NONE: readonly never[] = [];

/** Access of a field decides for itself, also in a collection without rules. */
const closedFieldError = (caller: Caller, position: BodyPosition, name: string): AppError =>
  writeError({ isRuled: true }, { caller, position }, `${position.prefix}${name}`);

/**
 * What a body holds, itself and in its sub-documents, for fields of stored documents that the caller may not write. Throws
 * NOT_PERMITTED, naming the field, for one of a new document, and for one that is to be removed.
 */
export function findClosedValues(
  deps: ClosedDeps,
  sent: SentDocument,
  body: JsonObject,
  caller: Caller,
): readonly ClosedValue[] {
  const values: ClosedValue[] = [];
  addClosedValues(values, sent, body, { ...deps, caller });
  return values.length === 0 ? NONE : values;
}

function addClosedValues(
  values: ClosedValue[],
  { collection, id, position }: SentDocument,
  body: JsonObject,
  deps: ClosedDeps & { readonly caller: Caller },
): void {
  const { registry, caller } = deps;
  const { closed } = caller.access(collection);
  const hasOthers = hasSubDocuments(collection, body);
  if (closed.size === 0 && !hasOthers) return;
  const settable = closed.size === 0 ? body : stripServerFields(collection, body, registry);
  for (const name of closed) {
    const value = Object.hasOwn(settable, name) ? settable[name] : undefined;
    const isRemoved = Array.isArray(settable[UNSET]) && settable[UNSET].includes(name);
    if (value === undefined && !isRemoved) continue;
    if (value === undefined || id === undefined) throw closedFieldError(caller, position, name);
    values.push({ collection, id, name, value, position });
  }
  if (!hasOthers) return;
  for (const [name, value] of Object.entries(settable)) {
    const field = collection.fields.get(name);
    const target = isReference(field) ? findWritableTarget(collection, field, registry) : undefined;
    if (target === undefined) continue;
    for (const [inner, path] of objectsOf(value, `${position.prefix}${name}`)) {
      const { _id } = inner;
      const innerId = typeof _id === 'string' ? _id.toLowerCase() : undefined;
      const place = { collection: target, id: innerId, position: { ...position, prefix: `${path}.` } };
      addClosedValues(values, place, inner, deps);
    }
  }
}

/** The objects that a value is, or holds in its list, with their paths. */
function objectsOf(value: Json, path: string): readonly (readonly [JsonObject, string])[] {
  if (isJsonObject(value)) return [[value, path]];
  if (!Array.isArray(value)) return NONE;
  return value.flatMap((entry: Json, index) =>
    isJsonObject(entry) ? [[entry, `${path}.${index}`] as const] : [],
  );
}

/**
 * Throws NOT_PERMITTED, naming the field, for a value that is not the stored one, or that the caller may not read there. `storedOf`:
 * the document that it belongs to; undefined where there is none, which is for others to tell.
 */
export function assertClosedUnchanged(
  values: readonly ClosedValue[],
  caller: Caller,
  storedOf: (value: ClosedValue) => StoredDocument | undefined,
): void {
  for (const closed of values) {
    const { collection, name, position } = closed;
    const stored = storedOf(closed);
    if (stored === undefined || isAsFetched(closed, stored, caller.access(collection))) continue;
    throw closedFieldError(caller, position, name);
  }
}

function isAsFetched(
  { collection, name, value }: ClosedValue,
  stored: StoredDocument,
  access: CollectionAccess,
): boolean {
  if (access.hidden.has(name) || !createStateTest(access, 'read')(stored)) return false;
  if (!Object.hasOwn(stored, name)) return false;
  const before = stored[name] ?? null;
  if (!isReference(collection.fields.get(name))) return isDeepStrictEqual(value, before);
  return isDeepStrictEqual(idsIn(value), idsIn(before));
}

/** A reference as composition shows it, with ids in the place of documents. */
function idsIn(value: Json): Json {
  if (Array.isArray(value)) return value.filter((entry: Json) => entry !== null).map(idsIn);
  if (!isJsonObject(value)) return value;
  return typeof value['_id'] === 'string' ? value['_id'].toLowerCase() : value;
}

/** The fields that an update sets, without those that the client sent as they are stored and no hook has changed. */
export function withoutClosed(
  fields: JsonObject,
  { body, closed }: { readonly body: JsonObject; readonly closed: readonly ClosedValue[] },
): JsonObject {
  const unchanged = closed.filter(
    ({ name, value, position }) => position.prefix === '' && isDeepStrictEqual(body[name], value),
  );
  if (unchanged.length === 0) return fields;
  const names = new Set(unchanged.map(({ name }) => name));
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));
}

interface Restoration {
  /** The present state, or the last one of a removed document. */
  readonly stored: JsonObject;
  /** The state that it is to get back. */
  readonly restored: JsonObject;
}

/**
 * Throws unless the caller may give a document back a state, as far as the present one decides that: it must see the present state
 * and its history, and may change it; and no field may change that the caller may not write. The error names such a field, unless
 * the caller may not read it either.
 */
export function assertRestorable(
  access: CollectionAccess,
  { stored, restored }: Restoration,
  caller: Caller,
): void {
  const { closed, hidden } = access;
  assertPermittedTarget(access, 'read', { caller, stored });
  assertPermittedTarget(access, 'update', { caller, stored });
  assertPermittedTarget(access, 'history', { caller, stored });
  for (const name of closed) {
    const [before, after] = [stored, restored].map((state) =>
      Object.hasOwn(state, name) ? state[name] : undefined,
    );
    if (isDeepStrictEqual(before, after)) continue;
    throw closedFieldError(caller, { prefix: '' }, hidden.has(name) ? '' : name);
  }
}
