// Bodies of a write, validated as far as that needs no stored document. Their sub-documents are taken out of the Reference
// fields, which keep the ids: each is written to its own collection.

import { AppError, type ErrorItem } from '../../errors/errors.ts';
import { andThen, type MaybePromise } from '../../lib/async/maybe-promise.ts';
import { startAllYielding } from '../../lib/async/yielding.ts';
import { isId } from '../../lib/ids.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { Collection, Field } from '../model/collection.ts';
import type { Caller, DocumentLimits } from '../model/documents.ts';
import { missingFileIssue, stripRecordFields } from '../model/media-record-fields.ts';
import { type CollectionRegistry, isReference, referenceTarget } from '../model/registry.ts';
import { BODY_ORIGIN, indexMember, type WriteOrigin } from '../validation/issue-position.ts';
import {
  stripInternalFields,
  type ValidatedFields,
  validateFields,
  type WriteMode,
} from '../validation/validate-document.ts';
import type { WriteDeps } from './commit.ts';

type PrepareDeps = Pick<WriteDeps, 'registry' | 'matchPattern' | 'limits' | 'generateId'>;

interface PrepareTarget {
  readonly collection: Collection;
  readonly mode: WriteMode;
  readonly caller: Caller;
}

export interface PreparedBody extends ValidatedFields {
  readonly origin: WriteOrigin;
  readonly subDocuments: readonly SubDocument[];
}

/**
 * Prepares the body of an update; at once, unless a pattern needs a worker. Throws NOT_PERMITTED and WRITE_TOO_LARGE;
 * everything else is an issue.
 */
export function prepareBody(
  deps: PrepareDeps,
  target: PrepareTarget,
  body: JsonObject,
): MaybePromise<PreparedBody> {
  return prepare(deps, { ...target, origin: BODY_ORIGIN, quota: { remaining: deps.limits.batch } }, body);
}

/** Prepares the documents of a create, which have one quota of sub-documents together. Throws as `prepareBody` does. */
export async function prepareBodies(
  deps: PrepareDeps,
  { isList, ...target }: PrepareTarget & { readonly isList: boolean },
  documents: readonly JsonObject[],
): Promise<readonly PreparedBody[]> {
  const quota = { remaining: deps.limits.batch };
  return startAllYielding(documents, (document, index) =>
    prepare(deps, { ...target, quota, origin: isList ? { prefix: '', index } : BODY_ORIGIN }, document),
  );
}

type PrepareOptions = PrepareTarget & { readonly origin: WriteOrigin; readonly quota: SubDocumentQuota };

function prepare(
  { registry, limits, generateId, matchPattern }: PrepareDeps,
  { collection, mode, caller, origin, quota }: PrepareOptions,
  body: JsonObject,
): MaybePromise<PreparedBody> {
  const extracted = extractSubDocuments(collection, body, {
    registry,
    limits,
    generateId,
    caller,
    origin,
    quota,
  });
  const join = ({ fields, issues, undeclared }: ValidatedFields): PreparedBody => ({
    ...{ fields, undeclared, origin, subDocuments: extracted.subDocuments },
    issues: extracted.issues.length === 0 ? issues : [...issues, ...extracted.issues],
  });
  const validated = validateFields(collection, extracted.fields, { mode, origin, matchPattern });
  return andThen(validated, join);
}

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
  readonly origin: WriteOrigin;
}

export interface ExtractedDocument {
  /** The document without the fields that only the server sets, sub-documents replaced by their ids. */
  readonly fields: JsonObject;
  /** Innermost first. */
  readonly subDocuments: readonly SubDocument[];
  readonly issues: readonly ErrorItem[];
}

/** Sub-documents that a request may still have, over all its bodies. */
interface SubDocumentQuota {
  remaining: number;
}

export interface ExtractOptions {
  readonly registry: Pick<CollectionRegistry, 'get' | 'isRevisionCollection' | 'holdsRecords'>;
  readonly limits: Pick<DocumentLimits, 'composeDepth'>;
  readonly quota: SubDocumentQuota;
  readonly generateId: () => string;
  readonly caller: Caller;
}

/** State of the extraction of one body. */
interface Extraction extends ExtractOptions {
  readonly subDocuments: SubDocument[];
  readonly issues: ErrorItem[];
}

interface Position {
  readonly collection: Collection;
  readonly origin: WriteOrigin;
  readonly depth: number;
}

const NONE: readonly never[] = [];

/**
 * Takes the sub-documents out of a body, without reading or writing. Throws NOT_PERMITTED, naming the path, for a new one
 * that the caller may not create, and WRITE_TOO_LARGE beyond the quota; everything else is an issue.
 */
export function extractSubDocuments(
  collection: Collection,
  body: JsonObject,
  { origin, ...options }: ExtractOptions & { readonly origin: WriteOrigin },
): ExtractedDocument {
  if (!hasSubDocuments(collection, body)) {
    return { fields: stripServerFields(collection, body, options), subDocuments: NONE, issues: NONE };
  }
  const extraction: Extraction = { ...options, subDocuments: [], issues: [] };
  const fields = extractFields(body, { collection, origin, depth: 0 }, extraction);
  return { fields, subDocuments: extraction.subDocuments, issues: extraction.issues };
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

function extractFields(body: JsonObject, position: Position, extraction: Extraction): JsonObject {
  const settable = stripServerFields(position.collection, body, extraction);
  const entries = Object.entries(settable).map(([name, value]): [string, Json] => {
    const field = position.collection.fields.get(name);
    if (!isReference(field) || !containsObject(value)) return [name, value];
    const path = `${position.origin.prefix}${name}`;
    if (!Array.isArray(value)) return [name, extractValue(value, { ...position, field, path }, extraction)];
    const ids = value.map((entry: Json, index) =>
      extractValue(entry, { ...position, field, path: `${path}.${index}` }, extraction),
    );
    return [name, ids];
  });
  return Object.fromEntries(entries);
}

/** The id that replaces `value`, which may be a sub-document or an id already. */
function extractValue(
  value: Json,
  { collection, field, path, origin, depth }: Position & { readonly field: Field; readonly path: string },
  extraction: Extraction,
): Json {
  if (!isJsonObject(value)) return value;
  const { registry, limits, caller, quota, issues } = extraction;
  const reject = (message: string, code = 'ERROR_VALUE_INVALID') => {
    issues.push({ ...indexMember(origin), field: path, message, code });
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
    issues.push({ ...indexMember(origin), ...missingFileIssue(`${path}.`) });
    return null;
  }
  if (sent === undefined && !caller.may(target, 'POST')) {
    throw new AppError('NOT_PERMITTED', { field: path });
  }
  const inner: Position = { collection: target, origin: { ...origin, prefix: `${path}.` }, depth: depth + 1 };
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
