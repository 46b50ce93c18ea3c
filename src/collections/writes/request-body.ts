// Parses the bodies of writes, older forms of them included, and validates them as far as that needs no stored document.

import { AppError, type ErrorItem } from '../../errors/errors.ts';
import {
  andThen,
  attempt,
  forEachYielding,
  type MaybePromise,
  startAllYielding,
} from '../../lib/async/maybe-promise.ts';
import {
  CheckedJson,
  findElementIssue,
  findJsonIssue,
  isJsonObject,
  type Json,
  type JsonIssue,
  type JsonObject,
} from '../../lib/json/json.ts';
import type { Collection } from '../model/collection.ts';
import type { Caller } from '../model/documents.ts';
import {
  BODY_ORIGIN,
  indexMember,
  type ValidatedFields,
  validateFields,
  type WriteMode,
  type WriteOrigin,
} from '../validation/validate-document.ts';
import type { WriteDeps } from './commit.ts';
import { extractSubDocuments, type SubDocument, type SubDocumentQuota } from './sub-documents.ts';

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
export function assertStorable(body: Json): MaybePromise<void> {
  if (!Array.isArray(body)) return attempt(() => assertNoIssue(findJsonIssue(body)));
  return forEachYielding(body, (document, index) => assertNoIssue(findElementIssue(document, index)));
}

/** The JSON of a body. It is checked here unless its parser has done so. Throws as `assertStorable` does. */
export function checkedJson(body: Json | CheckedJson): MaybePromise<Json> {
  if (body instanceof CheckedJson) return body.value;
  return andThen(assertStorable(body), () => body);
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
export function parseWriteQuery(body: Json): JsonObject {
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

type ValidateDeps = Pick<WriteDeps, 'registry' | 'matchPattern' | 'limits' | 'generateId'>;

interface ValidateTarget {
  readonly collection: Collection;
  readonly mode: WriteMode;
  readonly caller: Caller;
}

export interface ValidatedBody extends ValidatedFields {
  readonly origin: WriteOrigin;
  readonly subDocuments: readonly SubDocument[];
}

/**
 * Validates the body of an update, sub-documents apart; at once, unless a pattern needs a worker. Throws NOT_PERMITTED and
 * WRITE_TOO_LARGE; everything else is an issue.
 */
export function validateBody(
  deps: ValidateDeps,
  target: ValidateTarget,
  body: JsonObject,
): MaybePromise<ValidatedBody> {
  return validate(deps, { ...target, origin: BODY_ORIGIN, quota: { remaining: deps.limits.batch } }, body);
}

/** Validates the documents of a create, which have one quota of sub-documents together. Throws as `validateBody` does. */
export function validateBodies(
  deps: ValidateDeps,
  { isList, ...target }: ValidateTarget & { readonly isList: boolean },
  documents: readonly JsonObject[],
): MaybePromise<readonly ValidatedBody[]> {
  const quota = { remaining: deps.limits.batch };
  return startAllYielding(documents, (document, index) =>
    validate(deps, { ...target, quota, origin: isList ? { prefix: '', index } : BODY_ORIGIN }, document),
  );
}

type ValidateOptions = ValidateTarget & { readonly origin: WriteOrigin; readonly quota: SubDocumentQuota };

function validate(
  { registry, limits, generateId, matchPattern }: ValidateDeps,
  { collection, mode, caller, origin, quota }: ValidateOptions,
  body: JsonObject,
): MaybePromise<ValidatedBody> {
  const extracted = extractSubDocuments(collection, body, {
    registry,
    limits,
    generateId,
    caller,
    origin,
    quota,
  });
  const join = ({ fields, issues, undeclared }: ValidatedFields): ValidatedBody => ({
    ...{ fields, undeclared, origin, subDocuments: extracted.subDocuments },
    issues: extracted.issues.length === 0 ? issues : [...issues, ...extracted.issues],
  });
  const validated = validateFields(collection, extracted.fields, { mode, origin, matchPattern });
  return andThen(validated, join);
}
