// Sub-documents in Reference fields: taken out of a body, leaving ids, so that each is written to its own collection.
import { AppError, type ErrorItem } from '../../../errors.ts';
import { isId } from '../../../lib/ids.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../lib/json/json.ts';
import type { Collection, Field } from '../../model/collection.ts';
import type { Caller, DocumentLimits } from '../../model/documents.ts';
import { missingFileIssue, stripRecordFields } from '../../model/media-record-fields.ts';
import { isReference, referenceTarget } from '../../model/references.ts';
import type { Registry } from '../../model/registry.ts';
import { stripInternalFields } from '../../validation/validate-document.ts';
import { indexMember, type WriteOrigin } from '../commit-errors.ts';

/** A sub-document on its way to its own collection. */
export interface SubDocument {
  readonly collection: Collection;
  readonly id: string;
  /** False: it came with an `_id`, so a document of this id is to be updated. */
  readonly isNew: boolean;
  /** As sent, without what only the server sets, its own sub-documents replaced by their ids. */
  readonly fields: JsonObject;
  /** The `v` that came with it. */
  readonly v: number | undefined;
  /** 1 for one in the body itself, 2 for one in that, and so on. */
  readonly depth: number;
  readonly origin: WriteOrigin;
}

export interface ExtractedDocument {
  /** The document without what only the server sets, sub-documents replaced by their ids. */
  readonly fields: JsonObject;
  /** Innermost first. */
  readonly subDocuments: readonly SubDocument[];
  readonly items: readonly ErrorItem[];
}

export interface SubDocumentQuota {
  left: number;
}

export interface ExtractOptions {
  readonly registry: Pick<Registry, 'get' | 'isRevisionCollection' | 'holdsRecords'>;
  readonly limits: Pick<DocumentLimits, 'composeDepth'>;
  /** How many sub-documents the request may still bring, over all its bodies. */
  readonly room: SubDocumentQuota;
  readonly newId: () => string;
  readonly caller: Caller;
}

/** What one body is taken apart with. */
interface Extraction extends ExtractOptions {
  readonly subDocuments: SubDocument[];
  readonly items: ErrorItem[];
}

interface Position {
  readonly collection: Collection;
  readonly origin: WriteOrigin;
  readonly depth: number;
}

const NOTHING: readonly never[] = [];

/**
 * Takes the sub-documents out of a body. Throws NOT_PERMITTED, naming the path, for a new one where the caller may not
 * create; other faults are items. Nothing is read or written here.
 */
export function extractSubDocuments(
  collection: Collection,
  body: JsonObject,
  { origin, ...options }: ExtractOptions & { readonly origin: WriteOrigin },
): ExtractedDocument {
  if (!hasSubDocuments(collection, body)) {
    return { fields: stripServerFields(collection, body, options), subDocuments: NOTHING, items: NOTHING };
  }
  const work: Extraction = { ...options, subDocuments: [], items: [] };
  const fields = extractFields(body, { collection, origin, depth: 0 }, work);
  return { fields, subDocuments: work.subDocuments, items: work.items };
}

/** The document without the fields that only the server sets. */
function stripServerFields(
  collection: Collection,
  body: JsonObject,
  { registry }: Pick<Extraction, 'registry'>,
): JsonObject {
  const settable = stripInternalFields(body);
  return registry.holdsRecords(collection) ? stripRecordFields(settable) : settable;
}

const containsObject = (value: Json | undefined) =>
  Array.isArray(value) ? value.some(isJsonObject) : isJsonObject(value);

function hasSubDocuments({ fields }: Collection, body: JsonObject): boolean {
  return Object.keys(body).some((name) => isReference(fields.get(name)) && containsObject(body[name]));
}

function extractFields(body: JsonObject, spot: Position, work: Extraction): JsonObject {
  const entries = Object.entries(stripServerFields(spot.collection, body, work)).map(
    ([name, value]): [string, Json] => {
      const field = spot.collection.fields.get(name);
      if (!isReference(field) || !containsObject(value)) return [name, value];
      const path = `${spot.origin.prefix}${name}`;
      if (!Array.isArray(value)) return [name, extractValue(value, { ...spot, field, path }, work)];
      const ids = value.map((entry: Json, index) =>
        extractValue(entry, { ...spot, field, path: `${path}.${index}` }, work),
      );
      return [name, ids];
    },
  );
  return Object.fromEntries(entries);
}

/** The id that takes the place of `value`, which may be a sub-document or an id already. */
function extractValue(
  value: Json,
  { collection, field, path, origin, depth }: Position & { readonly field: Field; readonly path: string },
  work: Extraction,
): Json {
  if (!isJsonObject(value)) return value;
  const fault = (message: string, code = 'ERROR_VALUE_INVALID') => {
    work.items.push({ ...indexMember(origin), field: path, message, code });
    return null;
  };
  const sent = Object.hasOwn(value, '_id') ? value['_id'] : undefined;
  if (sent !== undefined && !isId(sent)) return fault('is not a valid ObjectID', 'ERROR_INVALID_ID');
  if (depth >= work.limits.composeDepth)
    return fault(`is nested deeper than ${work.limits.composeDepth} levels`);
  const target = referenceTarget(work.registry, collection, field);
  const isRecord = target !== undefined && work.registry.holdsRecords(target);
  if (target === undefined || isRecord || work.registry.isRevisionCollection(target)) {
    if (sent !== undefined) return sent.toLowerCase();
    if (!isRecord) return fault('cannot be written through a reference');
    work.items.push({ ...indexMember(origin), ...missingFileIssue(`${path}.`) });
    return null;
  }
  if (sent === undefined && !work.caller.may(target, 'POST')) {
    throw new AppError('NOT_PERMITTED', { field: path });
  }
  const inner: Position = { collection: target, origin: { ...origin, prefix: `${path}.` }, depth: depth + 1 };
  const fields = extractFields(value, inner, work);
  const id = sent?.toLowerCase() ?? work.newId();
  const v = typeof value['v'] === 'number' ? value['v'] : undefined;
  work.subDocuments.push({
    collection: target,
    id,
    isNew: sent === undefined,
    fields,
    v,
    depth: inner.depth,
    origin: inner.origin,
  });
  work.room.left -= 1;
  if (work.room.left < 0) {
    throw new AppError('WRITE_TOO_LARGE', { field: path, message: 'Too many sub-documents for one write' });
  }
  return id;
}
