// Parses the bodies of writes, older forms of them included.
import { AppError, type ErrorItem } from '../../errors/errors.ts';
import { mapYielding } from '../../lib/async/yielding.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { CheckedJson, findElementIssue, findJsonIssue, type JsonIssue } from '../../lib/json/json-check.ts';
import type { Collection } from '../model/collection.ts';
import { indexMember } from '../validation/issue-position.ts';

/** The error for a body of the wrong type, or whose member `field` is. */
function createBodyError(message: string, field?: string): AppError {
  return new AppError('BAD_REQUEST', { message, ...(field !== undefined && { field }) });
}

function assertNoIssue(issue: JsonIssue | undefined): void {
  if (issue === undefined) return;
  const item = { field: issue.path, message: issue.message, code: 'ERROR_VALUE_INVALID' };
  throw new AppError('DOCUMENT_INVALID', { items: [item] });
}

/** Throws DOCUMENT_INVALID, naming the path, for JSON that a store could not return unchanged. */
export async function assertStorable(body: Json): Promise<void> {
  if (!Array.isArray(body)) return assertNoIssue(findJsonIssue(body));
  await mapYielding(body, (document, index) => assertNoIssue(findElementIssue(document, index)));
}

/** The JSON of a body. It is checked here unless its parser has done so. Throws as `assertStorable` does. */
export async function checkedJson(body: Json | CheckedJson): Promise<Json> {
  if (body instanceof CheckedJson) return body.value;
  await assertStorable(body);
  return body;
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
  const items = documents.flatMap((document, index) => {
    const origin = { prefix: '', ...(Array.isArray(body) && { index }) };
    return isJsonObject(document) ? [] : [{ ...indexMember(origin), message, code: 'ERROR_VALUE_INVALID' }];
  });
  throw new AppError('DOCUMENT_INVALID', { items });
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

/** Throws DOCUMENT_INVALID when there are issues. */
export function assertValid(issues: readonly ErrorItem[]): void {
  if (issues.length > 0) throw new AppError('DOCUMENT_INVALID', { items: issues });
}
