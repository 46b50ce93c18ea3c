// The bodies of writes: their shapes, and the older ways of writing them that are still understood.
import { AppError, type ErrorItem } from '../../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { checkElement, checkJson, type JsonFault } from '../../lib/json-check.ts';
import { mapInSlices } from '../../lib/slices.ts';
import type { Collection } from '../collection.ts';
import { indexOf } from './write-failure.ts';

/** A body of the wrong kind, or whose member `field` is missing or is. */
function refuseBody(message: string, field?: string): AppError {
  return new AppError('BAD_REQUEST', { message, ...(field !== undefined && { field }) });
}

function assertFit(fault: JsonFault | undefined): void {
  if (fault === undefined) return;
  const item = { field: fault.path, message: fault.message, code: 'ERROR_VALUE_INVALID' };
  throw new AppError('DOCUMENT_INVALID', { items: [item] });
}

/** Refuses what no store could take back unharmed: a 400 with the path. */
export async function guardBody(body: Json): Promise<void> {
  if (Array.isArray(body)) await mapInSlices(body, (one, index) => assertFit(checkElement(one, index)));
  else await mapInSlices([body], (one) => assertFit(checkJson(one)));
}

/** The error for more documents than one write may have. */
export function tooManyDocuments(sent: number, limit: number): AppError {
  const message = `${sent} documents are more than the ${limit} that one write may have`;
  return new AppError('WRITE_TOO_LARGE', { message });
}

/** The documents of a create: one, or a list of one to `limit`. */
export function readDocuments(body: Json, limit: number): readonly JsonObject[] {
  const documents: readonly Json[] = Array.isArray(body) ? body : [body as Json];
  if (documents.length === 0) throw refuseBody('The list holds no documents');
  if (documents.length > limit) throw tooManyDocuments(documents.length, limit);
  if (documents.every(isJsonObject)) return documents;
  const message = 'must be a JSON object';
  const faulty = documents.flatMap((document, index) => (isJsonObject(document) ? [] : [index]));
  const place = (index: number) => indexOf({ prefix: '', ...(Array.isArray(body) && { index }) });
  refuseInvalid(faulty.map((index) => ({ ...place(index), message, code: 'ERROR_VALUE_INVALID' })));
  return [];
}

/** The fields that an update by id sets: bare, or in `update` as older clients send them. */
export function readFields(collection: Collection, body: Json): JsonObject {
  if (!isJsonObject(body)) throw refuseBody('The body must be a JSON object');
  const names = Object.keys(body);
  const isWrapped =
    isJsonObject(body['update']) &&
    names.every((name) => (name === 'update' || name === 'query') && !collection.fields.has(name));
  return isWrapped && Object.hasOwn(body, 'update') ? (body['update'] as JsonObject) : body;
}

/** The `query` of a write by query. */
export function readQuery(body: Json): JsonObject {
  const query = isJsonObject(body) && Object.hasOwn(body, 'query') ? body['query'] : undefined;
  if (!isJsonObject(query)) throw refuseBody('`query` must be a JSON object', 'query');
  return query;
}

/** The `update` of an update by query. */
export function readUpdate(body: Json): JsonObject {
  const update = isJsonObject(body) && Object.hasOwn(body, 'update') ? body['update'] : undefined;
  if (!isJsonObject(update)) throw refuseBody('`update` must be a JSON object', 'update');
  return update;
}

/** Throws DOCUMENT_INVALID when there are any items. */
export function refuseInvalid(items: readonly ErrorItem[]): void {
  if (items.length > 0) throw new AppError('DOCUMENT_INVALID', { items });
}
