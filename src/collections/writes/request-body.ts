// Parses and validates the bodies of writes, as far as that needs no stored document. The JSON parser has checked before that a
// store can return the values unchanged.
import { AppError, type ErrorItem } from '../../errors/errors.ts';
import { andThen, attempt, forEachYielding, type MaybePromise } from '../../lib/async/maybe-promise.ts';
import {
  findElementIssue,
  findJsonIssue,
  isJsonObject,
  type Json,
  type JsonIssue,
  type JsonObject,
} from '../../lib/json/json.ts';
import { hasCondition } from '../filters/has-condition.ts';
import type { CollectionAccess } from '../model/access.ts';
import type { Collection } from '../model/collection.ts';
import { validateFields, type WriteMode } from '../validation/validate-document.ts';
import { withPosition } from './body-position.ts';
import type { ExtractedBody } from './extract-sub-documents.ts';
import { withoutHiddenNames } from './permitted-states.ts';
import { UNSET } from './removed-fields.ts';
import type { WriteDeps } from './write-deps.ts';

/** BAD_REQUEST: the body, or its member `field`, has the wrong type. */
function createBodyError(message: string, field?: string): AppError {
  return new AppError('BAD_REQUEST', { message, ...(field !== undefined && { field }) });
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
    const position = Array.isArray(body) ? { index } : {};
    return isJsonObject(document) ? [] : [{ ...position, message, code: 'ERROR_VALUE_INVALID' }];
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

/** The member of a write by query that must be an object. Throws BAD_REQUEST where it is missing or something else. */
function requireObject(body: Json, name: 'query' | 'update'): JsonObject {
  const value = isJsonObject(body) && Object.hasOwn(body, name) ? body[name] : undefined;
  if (!isJsonObject(value)) throw createBodyError(`\`${name}\` must be a JSON object`, name);
  return value;
}

/** The `update` of a write by query. Throws BAD_REQUEST also where fields to remove stand beside it, where nobody reads them. */
export function requireUpdate(body: Json): JsonObject {
  const update = requireObject(body, 'update');
  if (isJsonObject(body) && Object.hasOwn(body, UNSET)) {
    throw createBodyError(`\`${UNSET}\` belongs into \`update\``, UNSET);
  }
  return update;
}

/**
 * The `query` of a write by query. Throws BAD_REQUEST where it has no condition and the body does not say `"all": true`: a
 * client whose conditions were all undefined would otherwise write every document.
 */
export function requireQuery(body: Json): JsonObject {
  const query = requireObject(body, 'query');
  if (hasCondition(query) || (isJsonObject(body) && Object.hasOwn(body, 'all') && body['all'] === true)) {
    return query;
  }
  const message =
    '`query` has no condition, so that it means every document: add `"all": true` beside `query` if that is meant';
  throw createBodyError(message, 'query');
}

/** Throws DOCUMENT_INVALID when there are issues. */
export function assertValid(issues: readonly ErrorItem[]): void {
  if (issues.length > 0) throw new AppError('DOCUMENT_INVALID', { items: issues });
}

function assertNoIssue(issue: JsonIssue | undefined): void {
  if (issue === undefined) return;
  const item = { field: issue.path, message: issue.message, code: 'ERROR_VALUE_INVALID' };
  throw new AppError('DOCUMENT_INVALID', { items: [item] });
}

/** Throws DOCUMENT_INVALID, naming the path, for JSON that a store could not return unchanged. For what no parser has checked. */
export function assertStorable(body: Json): MaybePromise<void> {
  if (!Array.isArray(body)) return attempt(() => assertNoIssue(findJsonIssue(body)));
  return forEachYielding(body, (document, index) => assertNoIssue(findElementIssue(document, index)));
}

export interface ValidatedBody extends ExtractedBody {
  /** In an update: fields that the specification does not declare. */
  readonly undeclared: readonly string[];
}

interface BodyTarget {
  readonly collection: Collection;
  readonly mode: WriteMode;
  readonly access: CollectionAccess;
  /** As the client sent it, before hooks. */
  readonly sent: JsonObject | undefined;
}

/** Validates the body of a write after its sub-documents have been taken out; at once, unless a pattern needs a worker. */
export function validateBody(
  { matchPattern }: Pick<WriteDeps, 'matchPattern'>,
  { collection, mode, access, sent: named }: BodyTarget,
  { fields: sent, position, subDocuments, issues: extractIssues }: ExtractedBody,
): MaybePromise<ValidatedBody> {
  return andThen(validateFields(collection, sent, { mode, matchPattern }), (validated) => {
    const { fields, undeclared } = validated;
    const own = withPosition(withoutHiddenNames(validated.issues, access, named), position);
    const issues = extractIssues.length === 0 ? own : [...own, ...extractIssues];
    return { fields, undeclared, position, subDocuments, issues };
  });
}
