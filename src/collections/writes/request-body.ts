// What the body of a write holds: documents, fields or a query, older forms of them included; where in it an issue is; and what
// is wrong with it, as far as that needs no stored document. Its parser has checked that a store can return its JSON unchanged.
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
import type { Collection } from '../model/collection.ts';
import { validateFields, type WriteMode } from '../validation/validate-document.ts';
import type { WriteDeps } from './write-deps.ts';

/** Where in a request a document is. */
export interface BodyPosition {
  /** Dotted path of the sub-document, ending in a dot; `''` for the document itself. */
  readonly prefix: string;
  /** Index in a list of documents. */
  readonly index?: number;
  /** Index among the extra writes of the caller, who understands their errors itself. */
  readonly extraWrite?: number;
}

/** The body itself, not part of a list. */
export const WHOLE_BODY: BodyPosition = { prefix: '' };

/** The member of an error item that names the document of a list. */
export function indexMember({ index }: BodyPosition): { readonly index?: number } {
  return index === undefined ? {} : { index };
}

/** The issues of a document with their position in the request. */
export function withPosition(issues: readonly ErrorItem[], position: BodyPosition): readonly ErrorItem[] {
  if (issues.length === 0 || (position.prefix === '' && position.index === undefined)) return issues;
  return issues.map((issue) => ({
    ...issue,
    ...indexMember(position),
    field: `${position.prefix}${issue.field ?? ''}`,
  }));
}

/** The error for a body of the wrong type, or whose member `field` is. */
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

export interface ValidatedBody extends ExtractedBody {
  /** In an update: fields that the specification does not declare. */
  readonly undeclared: readonly string[];
}

/** Validates the body of a write after its sub-documents have been taken out; at once, unless a pattern needs a worker. */
export function validateBody(
  { matchPattern }: Pick<WriteDeps, 'matchPattern'>,
  { collection, mode }: { readonly collection: Collection; readonly mode: WriteMode },
  { fields: sent, position, subDocuments, issues: extraction }: ExtractedBody,
): MaybePromise<ValidatedBody> {
  return andThen(validateFields(collection, sent, { mode, matchPattern }), (validated) => {
    const { fields, undeclared } = validated;
    const own = withPosition(validated.issues, position);
    const issues = extraction.length === 0 ? own : [...own, ...extraction];
    return { fields, undeclared, position, subDocuments, issues };
  });
}
