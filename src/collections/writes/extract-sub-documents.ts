// Takes the sub-documents of a write out of the Reference fields of its body, which keep their ids. Each document that is taken out
// keeps its position in the request, for the issues of that document.
import { AppError, type ErrorItem } from '../../errors/errors.ts';
import { isId } from '../../lib/ids.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { type Collection, type Field, isReference, referenceTarget } from '../model/collection.ts';
import type { Caller, DocumentLimits } from '../model/documents.ts';
import { missingFileIssue, stripRecordFields } from '../model/media-record-fields.ts';
import { REVISION_MEMBERS } from '../model/stored-document.ts';
import { stripInternalFields } from '../validation/validate-document.ts';
import { writeError } from './permitted-states.ts';
import { type BodyPosition, indexMember } from './planned-write.ts';
import type { WriteDeps } from './write-deps.ts';

/** A sub-document to be written to its own collection. */
export interface SubDocument {
  readonly collection: Collection;
  readonly id: string;
  /** False: it came with an `_id`, so that document is updated. */
  readonly isNew: boolean;
  /** As sent, without the fields that only the server sets, its own sub-documents replaced by their ids. */
  readonly fields: JsonObject;
  /** The `v` that came with it. */
  readonly v: number | undefined;
  /** 1 in the body itself, 2 in a sub-document of that, and so on. */
  readonly depth: number;
  readonly position: BodyPosition;
}

/** A document and the sub-documents that were taken out of it. */
export interface ExtractedBody {
  /** Without the fields that only the server sets, sub-documents replaced by their ids. */
  readonly fields: JsonObject;
  readonly position: BodyPosition;
  /** Innermost first. */
  readonly subDocuments: readonly SubDocument[];
  readonly issues: readonly ErrorItem[];
}

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

/** Where in a document a Reference field holds a value: alone, or in its list. */
interface ReferencePlace extends Level {
  readonly field: Field;
  readonly path: string;
}

const NONE: readonly never[] = [];

/** What the extractions of one request share: together they may take out `limits.batch` sub-documents. */
export const createExtractOptions = (
  { registry, limits, generateId }: Pick<WriteDeps, 'registry' | 'limits' | 'generateId'>,
  caller: Caller,
): ExtractOptions => ({ registry, limits, generateId, caller, quota: { remaining: limits.batch } });

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

/** True where a Reference field of the body holds an object. */
export function hasSubDocuments({ fields }: Collection, body: JsonObject): boolean {
  for (const name of Object.keys(body)) {
    if (containsObject(body[name]) && isReference(fields.get(name))) return true;
  }
  return false;
}

const containsObject = (value: Json | undefined) =>
  Array.isArray(value) ? value.some(isJsonObject) : isJsonObject(value);

/** The document without the fields that only the server sets. */
export function stripServerFields(
  collection: Collection,
  body: JsonObject,
  registry: Pick<ExtractOptions['registry'], 'holdsRecords'>,
): JsonObject {
  const settable = stripRevisionMembers(collection, stripInternalFields(body));
  return registry.holdsRecords(collection) ? stripRecordFields(settable) : settable;
}

/** A body without what a revision has beside the fields of its collection, so that a revision can be sent back. */
function stripRevisionMembers({ fields, settings }: Collection, body: JsonObject): JsonObject {
  const isRevisionMember = (name: string) => REVISION_MEMBERS.includes(name) && !fields.has(name);
  if (!settings.storeRevisions || !Object.keys(body).some(isRevisionMember)) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !isRevisionMember(name)));
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

/** The id that replaces `value`, which may be a sub-document or an id already; null where it has an issue. */
function extractValue(value: Json, place: ReferencePlace, extraction: Extraction): Json {
  if (!isJsonObject(value)) return value;
  const { registry, limits, caller, issues } = extraction;
  const { path, position, depth } = place;
  const reject = (issue: ErrorItem) => {
    issues.push({ ...indexMember(position), ...issue });
    return null;
  };
  const sentId = Object.hasOwn(value, '_id') ? value['_id'] : undefined;
  if (sentId !== undefined && !isId(sentId)) {
    return reject({ field: path, message: 'is not a valid ObjectID', code: 'ERROR_INVALID_ID' });
  }
  if (depth >= limits.composeDepth) {
    const message = `is nested deeper than ${limits.composeDepth} levels`;
    return reject({ field: path, message, code: 'ERROR_VALUE_INVALID' });
  }
  const { target, issue } = findTarget(place, registry);
  // An existing document is referred to all the same.
  if (target === undefined) return sentId?.toLowerCase() ?? reject(issue);
  const access = caller.access(target);
  if (sentId === undefined && access.create === null) {
    throw writeError(access, { caller, position: { ...position, prefix: `${path}.` } });
  }
  const inner = { collection: target, position: { ...position, prefix: `${path}.` }, depth: depth + 1 };
  return addSubDocument(value, sentId?.toLowerCase(), inner, extraction);
}

/** The collection that sub-documents of the field are written to; undefined where they cannot be written through it. */
export function findWritableTarget(
  collection: Collection,
  field: Field,
  registry: Pick<ExtractOptions['registry'], 'get' | 'isRevisionCollection' | 'holdsRecords'>,
): Collection | undefined {
  const target = referenceTarget(registry, collection, field);
  if (target === undefined || registry.holdsRecords(target)) return undefined;
  return registry.isRevisionCollection(target) ? undefined : target;
}

type FoundTarget =
  | { readonly target: Collection; readonly issue?: undefined }
  | { readonly target?: undefined; readonly issue: ErrorItem };

/** The collection that sub-documents of the field are written to, or the issue of a new one where they cannot be. */
function findTarget(
  { collection, field, path }: ReferencePlace,
  registry: ExtractOptions['registry'],
): FoundTarget {
  const target = findWritableTarget(collection, field, registry);
  if (target !== undefined) return { target };
  const found = referenceTarget(registry, collection, field);
  if (found !== undefined && registry.holdsRecords(found)) return { issue: missingFileIssue(`${path}.`) };
  const message = 'cannot be written through a reference';
  return { issue: { field: path, message, code: 'ERROR_VALUE_INVALID' } };
}

/** Adds a sub-document after those that are in it, and returns its id. Throws WRITE_TOO_LARGE beyond the quota. */
function addSubDocument(
  document: JsonObject,
  sentId: string | undefined,
  level: Level,
  extraction: Extraction,
): string {
  const { subDocuments, quota, generateId } = extraction;
  const fields = extractFields(document, level, extraction);
  const id = sentId ?? generateId();
  const v = typeof document['v'] === 'number' ? document['v'] : undefined;
  subDocuments.push({ ...level, id, isNew: sentId === undefined, fields, v });
  quota.remaining -= 1;
  if (quota.remaining < 0) {
    const field = level.position.prefix.slice(0, -1);
    throw new AppError('WRITE_TOO_LARGE', { field, message: 'Too many sub-documents for one write' });
  }
  return id;
}
