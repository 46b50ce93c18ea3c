// The bodies of writes: their shapes, and the older ways of writing them that are still understood.
import { AppError, type ErrorItem } from '../../errors.ts';
import { mapYielding } from '../../lib/async/yielding.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { findElementIssue, findJsonIssue, type JsonIssue } from '../../lib/json/json-check.ts';
import type { Collection } from '../model/collection.ts';
import { indexMember } from './commit-errors.ts';

/** A body of the wrong kind, or whose member `field` is missing or is. */
function createBodyError(message: string, field?: string): AppError {
  return new AppError('BAD_REQUEST', { message, ...(field !== undefined && { field }) });
}

function assertNoFault(fault: JsonIssue | undefined): void {
  if (fault === undefined) return;
  const item = { field: fault.path, message: fault.message, code: 'ERROR_VALUE_INVALID' };
  throw new AppError('DOCUMENT_INVALID', { items: [item] });
}

/** Refuses what no store could take back unharmed: a 400 with the path. */
export async function assertStorable(body: Json): Promise<void> {
  if (Array.isArray(body))
    await mapYielding(body, (one, index) => assertNoFault(findElementIssue(one, index)));
  else await mapYielding([body], (one) => assertNoFault(findJsonIssue(one)));
}

/** The error for more documents than one write may have. */
export function createTooManyDocumentsError(sent: number, limit: number): AppError {
  const message = `${sent} documents are more than the ${limit} that one write may have`;
  return new AppError('WRITE_TOO_LARGE', { message });
}

/** The documents of a create: one, or a list of one to `limit`. */
export function parseDocuments(body: Json, limit: number): readonly JsonObject[] {
  const documents: readonly Json[] = Array.isArray(body) ? body : [body as Json];
  if (documents.length === 0) throw createBodyError('The list holds no documents');
  if (documents.length > limit) throw createTooManyDocumentsError(documents.length, limit);
  if (documents.every(isJsonObject)) return documents;
  const message = 'must be a JSON object';
  const faulty = documents.flatMap((document, index) => (isJsonObject(document) ? [] : [index]));
  const place = (index: number) => indexMember({ prefix: '', ...(Array.isArray(body) && { index }) });
  assertValid(faulty.map((index) => ({ ...place(index), message, code: 'ERROR_VALUE_INVALID' })));
  return [];
}

/** The fields that an update by id sets: bare, or in `update` as older clients send them. */
export function parseFields(collection: Collection, body: Json): JsonObject {
  if (!isJsonObject(body)) throw createBodyError('The body must be a JSON object');
  const names = Object.keys(body);
  const isWrapped =
    isJsonObject(body['update']) &&
    names.every((name) => (name === 'update' || name === 'query') && !collection.fields.has(name));
  return isWrapped && Object.hasOwn(body, 'update') ? (body['update'] as JsonObject) : body;
}

/** The `query` of a write by query. */
export function parseQuery(body: Json): JsonObject {
  const query = isJsonObject(body) && Object.hasOwn(body, 'query') ? body['query'] : undefined;
  if (!isJsonObject(query)) throw createBodyError('`query` must be a JSON object', 'query');
  return query;
}

/** The `update` of an update by query. */
export function parseUpdate(body: Json): JsonObject {
  const update = isJsonObject(body) && Object.hasOwn(body, 'update') ? body['update'] : undefined;
  if (!isJsonObject(update)) throw createBodyError('`update` must be a JSON object', 'update');
  return update;
}

/** Throws DOCUMENT_INVALID when there are any items. */
export function assertValid(items: readonly ErrorItem[]): void {
  if (items.length > 0) throw new AppError('DOCUMENT_INVALID', { items });
}
