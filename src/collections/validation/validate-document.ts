// Validation of documents against their specification: defaults, required fields, the rules of each field, unknown fields.
import type { ErrorItem } from '../../errors/errors.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { type Collection, type Field, INTERNAL_FIELDS, type PatternRule } from '../model/collection.ts';
import { FIELD_TYPES } from '../model/fields/field-types.ts';
import { checkValue, createPatternQuota, fieldIssue, type PendingPattern } from './field-rules.ts';
import { type WriteOrigin, withPosition } from './issue-position.ts';

/** Issues of one document after which validation stops. */
const MAX_ISSUES = 1000;

export type WriteMode = 'create' | 'update';

export interface Validated {
  /** With defaults applied and values in the form that is stored. Must not be stored while there are issues. */
  readonly document: JsonObject;
  /** Known issues, without those of `pending`. */
  readonly issues: readonly ErrorItem[];
  /** Patterns that only a worker may run, because the pattern or the text is too expensive for this thread. */
  readonly pending: readonly PendingPattern[];
  /** In mode `update`: fields that the specification does not declare. They are issues unless the stored document has them. */
  readonly undeclared: readonly string[];
  /** `issues` and `pending` in the order of the response. */
  readonly results: readonly (ErrorItem | PendingPattern)[];
}

/** A validated document whose patterns are resolved and whose issues have their position in the request. */
export interface ValidatedFields extends Pick<Validated, 'undeclared'> {
  readonly fields: JsonObject;
  readonly issues: readonly ErrorItem[];
}

/** Resolves with whether every text matches the pattern; false on a timeout. */
export type PatternMatcher = (rule: PatternRule, texts: readonly string[]) => Promise<boolean>;

const NONE: readonly never[] = [];

/** The issue of a field that the specification does not declare. */
export function undeclaredIssue(name: string): ErrorItem {
  return { field: name, message: "doesn't exist in the collection schema", code: 'ERROR_NOT_IN_SCHEMA' };
}

const isPending = (result: ErrorItem | PendingPattern): result is PendingPattern => 'rule' in result;

function checkRequired(field: Field, document: JsonObject, mode: WriteMode): ErrorItem | undefined {
  // A field may be called `constructor`: only what the document itself holds counts.
  const value = Object.hasOwn(document, field.name) ? document[field.name] : undefined;
  if (value === undefined) {
    return mode === 'create' ? fieldIssue(field, 'must be specified', 'ERROR_REQUIRED') : undefined;
  }
  return value === null || value === '' ? fieldIssue(field, "can't be blank", 'ERROR_REQUIRED') : undefined;
}

function applyDefaults(collection: Collection, document: JsonObject): JsonObject {
  let result: Record<string, Json> | undefined;
  for (const field of collection.fields.values()) {
    if (field.default === undefined || Object.hasOwn(document, field.name)) continue;
    result ??= { ...document };
    result[field.name] = field.default;
  }
  return result ?? document;
}

function normalise(collection: Collection, document: JsonObject): JsonObject {
  let result: Record<string, Json> | undefined;
  for (const [name, value] of Object.entries(document)) {
    const field = collection.fields.get(name);
    const stored = field && value !== null ? FIELD_TYPES[field.type].normalise(value) : value;
    if (stored === value) continue;
    result ??= { ...document };
    result[name] = stored;
  }
  return result ?? document;
}

/**
 * Validates one document, or in mode `update` the fields that an update sets. Strip internal fields first.
 * Issues of required fields come first, in the order of the specification, then those of the fields as sent.
 */
export function validateDocument(collection: Collection, sent: JsonObject, mode: WriteMode): Validated {
  const document = mode === 'create' ? applyDefaults(collection, sent) : sent;
  const results: (ErrorItem | PendingPattern)[] = [];
  for (const field of collection.fields.values()) {
    const issue = field.required ? checkRequired(field, document, mode) : undefined;
    if (issue !== undefined) results.push(issue);
  }
  const quota = createPatternQuota();
  const undeclared: string[] = [];
  for (const [name, value] of Object.entries(document)) {
    if (results.length >= MAX_ISSUES) break;
    const field = collection.fields.get(name);
    if (field === undefined) {
      if (mode === 'update') undeclared.push(name);
      else results.push(undeclaredIssue(name));
      continue;
    }
    const result = value === null ? undefined : checkValue(field, value, quota);
    if (result !== undefined) results.push(result);
  }
  if (results.length === 0) {
    return { document: normalise(collection, document), issues: NONE, pending: NONE, undeclared, results };
  }
  const pending = results.filter(isPending);
  const issues = results.filter((result) => !isPending(result)) as ErrorItem[];
  const normal = issues.length === 0 ? normalise(collection, document) : document;
  return { document: normal, issues, pending, undeclared, results };
}

/** All issues of a validated document, after the patterns that need a worker have been run. */
export async function resolvePatterns(
  { pending, issues, results }: Validated,
  matches: PatternMatcher,
): Promise<readonly ErrorItem[]> {
  if (pending.length === 0) return issues;
  const resolved = await Promise.all(
    results.map(async (result) => {
      if (!isPending(result)) return result;
      return (await matches(result.rule, result.texts)) ? result.otherwise : result.failure;
    }),
  );
  return resolved.filter((issue) => issue !== undefined);
}

interface ValidateOptions {
  readonly mode: WriteMode;
  readonly origin: WriteOrigin;
  readonly matchPattern: PatternMatcher;
}

/** Validates the fields of one write. Synchronous, except for patterns that only a worker may run. */
export function validateFields(
  collection: Collection,
  sent: JsonObject,
  { mode, origin, matchPattern }: ValidateOptions,
): ValidatedFields | Promise<ValidatedFields> {
  const validated = validateDocument(collection, sent, mode);
  const { document: fields, issues, pending, undeclared } = validated;
  if (pending.length === 0) return { fields, issues: withPosition(issues, origin), undeclared };
  return resolvePatterns(validated, matchPattern).then((resolved) => ({
    fields,
    issues: withPosition(resolved, origin),
    undeclared,
  }));
}

/** The document without the fields that the server itself writes, so that a fetched one can be sent back. */
export function stripInternalFields(document: JsonObject): JsonObject {
  if (!INTERNAL_FIELDS.some((name) => Object.hasOwn(document, name))) return document;
  return Object.fromEntries(Object.entries(document).filter(([name]) => !INTERNAL_FIELDS.includes(name)));
}
