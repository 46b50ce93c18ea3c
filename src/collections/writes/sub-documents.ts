// Sub-documents of a write. They are taken out of the Reference fields, which keep the ids; then each is written to its own
// collection: new ones are inserted, changed ones updated, unchanged ones left alone.

import { isDeepStrictEqual } from 'node:util';
import { AppError, type ErrorItem } from '../../errors/errors.ts';
import { createYielder } from '../../lib/async/maybe-promise.ts';
import { isId } from '../../lib/ids.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { documentVersion } from '../../lib/json/stored-json.ts';
import type { StoredDocument } from '../../stores/ports.ts';
import { type HookSession, hasHooks, openHookSession } from '../hooks/document-hooks.ts';
import {
  type Collection,
  type CollectionRegistry,
  documentKey,
  type Field,
  isReference,
  referenceTarget,
} from '../model/collection.ts';
import type { Caller, DocumentLimits, RequestContext } from '../model/documents.ts';
import { missingFileIssue, stripRecordFields } from '../model/media-record-fields.ts';
import { resolveUndeclared } from '../validation/undeclared-fields.ts';
import {
  indexMember,
  stripInternalFields,
  validateFields,
  type WriteOrigin,
} from '../validation/validate-document.ts';
import type { WriteDeps } from './commit.ts';
import { loadByIds, type StoredDocuments } from './targets.ts';
import type { WritePlan } from './write-plan.ts';

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
export interface SubDocumentQuota {
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

type SubDocumentDeps = Pick<WriteDeps, 'store' | 'matchPattern'>;
const NONE_KNOWN: StoredDocuments = new Map();

/** Opens the hooks of one attempt to write sub-documents. */
export function openSubDocumentHooks(
  deps: Pick<WriteDeps, 'hooks' | 'now'>,
  subDocuments: readonly SubDocument[],
  context: RequestContext,
): HookSession {
  const isHooked = subDocuments.some(({ collection }) => collection.settings.hooks !== null);
  return openHookSession(deps, context, isHooked);
}

/**
 * Adds the writes of sub-documents to the plan and resolves with their issues. Throws NOT_PERMITTED for a change that the
 * caller may not make, and DOCUMENT_CHANGED for one that was made to an older state than the stored one.
 */
export async function planSubDocuments(
  deps: SubDocumentDeps,
  subDocuments: readonly SubDocument[],
  plan: WritePlan,
  hooks: HookSession,
): Promise<readonly ErrorItem[]> {
  const existing = subDocuments.filter(({ isNew }) => !isNew);
  const known = existing.length === 0 ? NONE_KNOWN : await loadByIds(deps, existing, hooks.context);
  const issues: ErrorItem[] = [];
  const yieldIfDue = createYielder();
  for (const sub of subDocuments) {
    await yieldIfDue();
    const planned = sub.isNew
      ? await planInsert(deps, sub, plan, hooks)
      : await planUpdate(deps, { sub, known }, plan, hooks);
    issues.push(...planned);
  }
  return issues;
}

async function planInsert(
  { matchPattern }: SubDocumentDeps,
  { collection, id, depth, origin, ...sub }: SubDocument,
  plan: WritePlan,
  hooks: HookSession,
): Promise<readonly ErrorItem[]> {
  const sent = await hooks.transform({ event: 'beforeCreate', collection }, sub.fields);
  const options = { mode: 'create', origin, matchPattern } as const;
  const { fields, issues } = await validateFields(collection, settable(sent, sub.fields), options);
  if (issues.length === 0) plan.insert(collection, { id, fields, depth }, origin);
  return issues;
}

async function planUpdate(
  { matchPattern }: SubDocumentDeps,
  { sub, known }: { readonly sub: SubDocument; readonly known: StoredDocuments },
  plan: WritePlan,
  hooks: HookSession,
): Promise<readonly ErrorItem[]> {
  const { collection, origin } = sub;
  const stored = known.get(documentKey(collection.namespace, sub.id));
  const change = findChange(sub, stored, hooks.context);
  if (change === undefined) return NONE;
  const documents = [change.stored];
  const at = { event: 'beforeUpdate', collection } as const;
  const texts = hasHooks(at) ? [JSON.stringify(change.stored)] : [];
  const sent = await hooks.transform(at, change.fields, { documents: texts });
  const options = { mode: 'update', origin, matchPattern } as const;
  const validated = await validateFields(collection, settable(sent, change.fields), options);
  const targets = { collection, documents, caller: hooks.context.caller };
  const { fields, issues } = await resolveUndeclared({ ...validated, origin }, targets);
  plan.update(collection, change.stored, { fields, origin });
  return issues;
}

/** Fields that hooks returned may hold internal ones again. Sub-documents of their own are not extracted from them. */
const settable = (returned: JsonObject, sent: JsonObject) =>
  returned === sent ? sent : stripInternalFields(returned);

/** A list of references as composition shows it. */
function withoutNulls(value: Json | undefined): Json | undefined {
  return Array.isArray(value) ? value.filter((entry) => entry !== null) : value;
}

interface SubDocumentChange {
  readonly stored: StoredDocument;
  readonly fields: JsonObject;
}

/** The fields in which a sub-document differs from the stored one; undefined where it does not, or is only an id. */
function findChange(
  { collection, fields, v, origin }: SubDocument,
  stored: StoredDocument | undefined,
  { caller }: RequestContext,
): SubDocumentChange | undefined {
  if (Object.keys(fields).length === 0) return undefined;
  const path = origin.prefix.slice(0, -1);
  // Callers who may not read the stored document are not told whether this is a change.
  const mayCompare = caller.may(collection, 'GET');
  const changed = Object.entries(fields).filter(([name, value]) => {
    if (!mayCompare || stored === undefined || !Object.hasOwn(stored, name)) return true;
    const holdsIds = isReference(collection.fields.get(name));
    const before = stored[name];
    return !isDeepStrictEqual(holdsIds ? withoutNulls(before) : before, value);
  });
  if (changed.length === 0) return undefined;
  if (!caller.may(collection, 'PUT')) throw new AppError('NOT_PERMITTED', { field: path });
  if (stored === undefined || (v !== undefined && v < documentVersion(stored))) {
    throw new AppError('DOCUMENT_CHANGED', { field: path });
  }
  return { stored, fields: Object.fromEntries(changed) };
}
