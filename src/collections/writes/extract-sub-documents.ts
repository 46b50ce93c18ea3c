// Takes the sub-documents of a write out of the Reference fields of its body, which keep their ids.
import { AppError, type ErrorItem } from '../../errors/errors.ts';
import { isId } from '../../lib/ids.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { type Collection, type Field, isReference, referenceTarget } from '../model/collection.ts';
import type { Caller, DocumentLimits } from '../model/documents.ts';
import { missingFileIssue, stripRecordFields } from '../model/media-record-fields.ts';
import { stripInternalFields } from '../validation/validate-document.ts';
import { type BodyPosition, type ExtractedBody, indexMember, type SubDocument } from './request-body.ts';
import type { WriteDeps } from './write-deps.ts';

/** Sub-documents that a request may still have, over all its bodies. */
interface SubDocumentQuota {
  remaining: number;
}

export interface ExtractOptions extends Pick<WriteDeps, 'registry' | 'generateId'> {
  readonly limits: Pick<DocumentLimits, 'composeDepth'>;
  readonly quota: SubDocumentQuota;
  readonly caller: Caller;
}

/** State of the extraction of one body. */
interface Extraction extends ExtractOptions {
  readonly subDocuments: SubDocument[];
  readonly issues: ErrorItem[];
}

/** A document on the way down into a body. */
interface Level {
  readonly collection: Collection;
  readonly position: BodyPosition;
  readonly depth: number;
}

const NONE: readonly never[] = [];

/**
 * Takes the sub-documents out of a body, without reading or writing. Throws NOT_PERMITTED, naming the path, for a new one
 * that the caller may not create, and WRITE_TOO_LARGE beyond the quota; everything else is an issue.
 */
export function extractSubDocuments(
  { collection, position }: Pick<Level, 'collection' | 'position'>,
  body: JsonObject,
  options: ExtractOptions,
): ExtractedBody {
  if (!hasSubDocuments(collection, body)) {
    const fields = stripServerFields(collection, body, options.registry);
    return { fields, position, subDocuments: NONE, issues: NONE };
  }
  const extraction: Extraction = { ...options, subDocuments: [], issues: [] };
  const fields = extractFields(body, { collection, position, depth: 0 }, extraction);
  return { fields, position, subDocuments: extraction.subDocuments, issues: extraction.issues };
}

function hasSubDocuments({ fields }: Collection, body: JsonObject): boolean {
  for (const name of Object.keys(body)) {
    if (containsObject(body[name]) && isReference(fields.get(name))) return true;
  }
  return false;
}

const containsObject = (value: Json | undefined) =>
  Array.isArray(value) ? value.some(isJsonObject) : isJsonObject(value);

/** The document without the fields that only the server sets. */
function stripServerFields(
  collection: Collection,
  body: JsonObject,
  registry: ExtractOptions['registry'],
): JsonObject {
  const settable = stripInternalFields(body);
  return registry.holdsRecords(collection) ? stripRecordFields(settable) : settable;
}

function extractFields(body: JsonObject, level: Level, extraction: Extraction): JsonObject {
  const settable = stripServerFields(level.collection, body, extraction.registry);
  const entries = Object.entries(settable).map(([name, value]): [string, Json] => {
    const field = level.collection.fields.get(name);
    if (!isReference(field) || !containsObject(value)) return [name, value];
    const path = `${level.position.prefix}${name}`;
    if (!Array.isArray(value)) return [name, extractValue(value, { ...level, field, path }, extraction)];
    const ids = value.map((entry: Json, index) =>
      extractValue(entry, { ...level, field, path: `${path}.${index}` }, extraction),
    );
    return [name, ids];
  });
  return Object.fromEntries(entries);
}

/** The id that replaces `value`, which may be a sub-document or an id already. */
function extractValue(
  value: Json,
  { collection, field, path, position, depth }: Level & { readonly field: Field; readonly path: string },
  extraction: Extraction,
): Json {
  if (!isJsonObject(value)) return value;
  const { registry, limits, caller, quota, issues } = extraction;
  const reject = (message: string, code = 'ERROR_VALUE_INVALID') => {
    issues.push({ ...indexMember(position), field: path, message, code });
    return null;
  };
  const sent = Object.hasOwn(value, '_id') ? value['_id'] : undefined;
  if (sent !== undefined && !isId(sent)) return reject('is not a valid ObjectID', 'ERROR_INVALID_ID');
  if (depth >= limits.composeDepth) return reject(`is nested deeper than ${limits.composeDepth} levels`);
  const target = referenceTarget(registry, collection, field);
  const isRecord = target !== undefined && registry.holdsRecords(target);
  if (target === undefined || isRecord || registry.isRevisionCollection(target)) {
    if (sent !== undefined) return sent.toLowerCase();
    if (!isRecord) return reject('cannot be written through a reference');
    issues.push({ ...indexMember(position), ...missingFileIssue(`${path}.`) });
    return null;
  }
  if (sent === undefined && !caller.may(target, 'POST')) {
    throw new AppError('NOT_PERMITTED', { field: path });
  }
  const inner: Level = {
    collection: target,
    position: { ...position, prefix: `${path}.` },
    depth: depth + 1,
  };
  const fields = extractFields(value, inner, extraction);
  const id = sent?.toLowerCase() ?? extraction.generateId();
  const v = typeof value['v'] === 'number' ? value['v'] : undefined;
  extraction.subDocuments.push({ ...inner, id, isNew: sent === undefined, fields, v });
  quota.remaining -= 1;
  if (quota.remaining < 0) {
    throw new AppError('WRITE_TOO_LARGE', { field: path, message: 'Too many sub-documents for one write' });
  }
  return id;
}
