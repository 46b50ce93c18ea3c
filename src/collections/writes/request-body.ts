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
import type { CollectionAccess } from '../model/access.ts';
import { type Collection, INTERNAL_FIELDS } from '../model/collection.ts';
import { recordFieldType } from '../model/media-record-fields.ts';
import { fieldIssue, validateFields, type WriteMode } from '../validation/validate-document.ts';
import type { ExtractedBody } from './extract-sub-documents.ts';
import { withoutHiddenNames } from './permitted-states.ts';
import { withPosition } from './planned-write.ts';
import type { WriteDeps } from './write-deps.ts';

/** The member of an update that names the fields to remove. */
export const UNSET = '$unset';
/** Names of one update that are reported. */
const MAX_ISSUES = 1000;

const NONE: readonly never[] = [];

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

const isGroup = (name: string) => name === '$and' || name === '$or' || name === '$nor';

function memberHasCondition(name: string, operand: Json): boolean {
  // What is no list of filters is refused when the filter is parsed.
  if (!isGroup(name) || !Array.isArray(operand)) return true;
  const filters: readonly Json[] = operand;
  const holds = (filter: Json) => !isJsonObject(filter) || hasCondition(filter);
  return name === '$and' ? filters.some(holds) : filters.every(holds);
}

/**
 * Tells a query that names documents from one whose conditions all vanished: JSON has no `undefined`, so that a client that means some
 * documents may send `{}`. False for `{}`, and for `$and`, `$or` and `$nor` of such filters only; an alternative
 * without a condition is all documents.
 */
export function hasCondition(filter: JsonObject): boolean {
  return Object.entries(filter).some(([name, operand]) => memberHasCondition(name, operand));
}

interface UpdateParts {
  /** The fields to set. */
  readonly sent: JsonObject;
  /** The names of fields to remove, without repetitions and those with issues. */
  readonly removed: readonly string[];
  readonly issues: readonly ErrorItem[];
}

const invalid = (field: string, message: string): ErrorItem => ({
  field,
  message,
  code: 'ERROR_VALUE_INVALID',
});

/** Takes `$unset` out of an update, and checks it as far as that needs no stored document. */
export function splitUpdate(
  collection: Collection,
  update: JsonObject,
  registry: Pick<WriteDeps['registry'], 'holdsRecords'>,
): UpdateParts {
  if (!Object.hasOwn(update, UNSET)) return { sent: update, removed: NONE, issues: NONE };
  const { [UNSET]: list = null, ...sent } = update;
  const names = readNames(list);
  if (names === undefined) {
    const issue = invalid(UNSET, 'must be a list of names of fields');
    return { sent, removed: NONE, issues: [issue] };
  }
  const named = [...new Set(names)];
  const isRecord = registry.holdsRecords(collection);
  const issues: ErrorItem[] = [];
  const removed = named.filter((name) => {
    const issue = checkName(collection, name, { sent, isRecord });
    if (issue !== undefined && issues.length < MAX_ISSUES) issues.push(issue);
    return issue === undefined;
  });
  return { sent, removed, issues };
}

function readNames(list: Json): readonly string[] | undefined {
  if (!Array.isArray(list) || isJsonObject(list)) return undefined;
  const names = list.filter((name: Json) => typeof name === 'string');
  return names.length === list.length ? names : undefined;
}

function checkName(
  { fields }: Collection,
  name: string,
  { sent, isRecord }: { readonly sent: JsonObject; readonly isRecord: boolean },
): ErrorItem | undefined {
  if (INTERNAL_FIELDS.includes(name) || (isRecord && recordFieldType(name) !== undefined)) {
    return invalid(name, 'cannot be removed: only the server writes it');
  }
  if (Object.hasOwn(sent, name)) return invalid(name, 'cannot be set and removed at once');
  const field = fields.get(name);
  if (field?.required) return fieldIssue(field, 'must be specified', 'ERROR_REQUIRED');
  if (field === undefined && name.includes('.')) {
    return invalid(name, 'cannot be removed: `$unset` takes names of fields, not what is in them');
  }
  return undefined;
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
