// Validation of documents against their specification: defaults, required fields, the rules of each field (pattern, length, type:
// the first failure counts), unknown fields.

import type { ErrorItem } from '../../errors/errors.ts';
import type { MaybePromise } from '../../lib/async/maybe-promise.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { type Collection, type Field, INTERNAL_FIELDS, type PatternRule } from '../model/collection.ts';
import type { FieldIssue } from '../model/fields/field-type.ts';
import { FIELD_TYPES } from '../model/fields/field-types.ts';

/** Issues of one document after which validation stops. */
const MAX_ISSUES = 1000;

export type WriteMode = 'create' | 'update';

export interface DocumentValidation {
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

/** A validated document whose patterns are resolved. */
export interface ValidatedFields extends Pick<DocumentValidation, 'undeclared'> {
  readonly fields: JsonObject;
  readonly issues: readonly ErrorItem[];
}

/** Resolves with whether every text matches the pattern; false on a timeout. */
export type PatternMatcher = (rule: PatternRule, texts: readonly string[]) => Promise<boolean>;

const NONE: readonly never[] = [];

/** The code of the issue of a field that the specification does not declare. */
export const NOT_IN_SCHEMA = 'ERROR_NOT_IN_SCHEMA';

/** That issue. */
export function undeclaredIssue(name: string): ErrorItem {
  return { field: name, message: "doesn't exist in the collection schema", code: NOT_IN_SCHEMA };
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

/**
 * Validates one document, or in mode `update` the fields that an update sets. Strip internal fields first.
 * Issues of required fields come first, in the order of the specification, then those of the fields as sent.
 */
export function validateDocument(
  collection: Collection,
  sent: JsonObject,
  mode: WriteMode,
): DocumentValidation {
  const document = mode === 'create' ? applyDefaults(collection, sent) : sent;
  const results: (ErrorItem | PendingPattern)[] = [];
  for (const field of collection.fields.values()) {
    const issue = field.required ? checkRequired(field, document, mode) : undefined;
    if (issue !== undefined) results.push(issue);
  }
  const quota = createPatternQuota();
  const undeclared: string[] = [];
  let normal: Record<string, Json> | undefined;
  for (const name of Object.keys(document)) {
    if (results.length >= MAX_ISSUES) break;
    const field = collection.fields.get(name);
    if (field === undefined) {
      if (mode === 'update') undeclared.push(name);
      else results.push(undeclaredIssue(name));
      continue;
    }
    const value = document[name] ?? null;
    if (value === null) continue;
    const result = checkValue(field, value, quota);
    if (result !== undefined) results.push(result);
    if (result !== undefined && !isPending(result)) continue;
    const stored = FIELD_TYPES[field.type].normalise(value);
    if (stored !== value) {
      normal ??= { ...document };
      normal[name] = stored;
    }
  }
  if (results.length === 0) {
    return { document: normal ?? document, issues: NONE, pending: NONE, undeclared, results };
  }
  const pending = results.filter(isPending);
  const issues = results.filter((result) => !isPending(result)) as ErrorItem[];
  const valid = issues.length === 0 ? (normal ?? document) : document;
  return { document: valid, issues, pending, undeclared, results };
}

/** All issues of a validated document, after the patterns that need a worker have been run. */
export async function resolvePatterns(
  { pending, issues, results }: DocumentValidation,
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
  readonly matchPattern: PatternMatcher;
}

/** Validates the fields of one write. Synchronous, except for patterns that only a worker may run. */
export function validateFields(
  collection: Collection,
  sent: JsonObject,
  { mode, matchPattern }: ValidateOptions,
): MaybePromise<ValidatedFields> {
  const validated = validateDocument(collection, sent, mode);
  const { document: fields, issues, pending, undeclared } = validated;
  if (pending.length === 0) return { fields, issues, undeclared };
  return resolvePatterns(validated, matchPattern).then((resolved) => ({
    fields,
    issues: resolved,
    undeclared,
  }));
}

/** The document without the fields that the server itself writes, so that a fetched one can be sent back. */
export function stripInternalFields(document: JsonObject): JsonObject {
  if (!INTERNAL_FIELDS.some((name) => Object.hasOwn(document, name))) return document;
  return Object.fromEntries(Object.entries(document).filter(([name]) => !INTERNAL_FIELDS.includes(name)));
}

/** A pattern that a worker is to run: `failure` holds if it fails, `otherwise` (the next rule's verdict) if not. */
export interface PendingPattern {
  readonly rule: PatternRule;
  readonly texts: readonly string[];
  readonly failure: ErrorItem;
  readonly otherwise: ErrorItem | undefined;
}

/** How much more pattern matching may be done at once: instructions of the linear engine, times characters. */
export interface PatternQuota {
  remaining: number;
}

/** At some 20 to 40 ns each at worst: what one document may hold the event loop for. */
const MAX_PATTERN_WORK = 100_000;

/** The quota of one document. */
export function createPatternQuota(): PatternQuota {
  return { remaining: MAX_PATTERN_WORK };
}

function spend(quota: PatternQuota, size: number, texts: readonly string[]): boolean {
  const work = texts.reduce((sum, text) => sum + (text.length + 1) * size, 0);
  if (work > quota.remaining) return false;
  quota.remaining -= work;
  return true;
}

/** An item for `field`; its own `message`, where the specification has one, replaces the rule's. */
export function fieldIssue(field: Field, message: string, code: string): ErrorItem {
  return { field: field.name, message: field.message ?? message, code };
}

/** The item with what was expected: the message is one that clients compare, or the field's own. */
const expecting = (issue: ErrorItem, what: string): ErrorItem => ({ ...issue, details: `expected ${what}` });

/** An item for a value that is none of the field's type. */
export function typeIssue(field: Field, { message, code }: FieldIssue): ErrorItem {
  return expecting(fieldIssue(field, message, code), FIELD_TYPES[field.type].valueForm);
}

const characters = (count: number) => (count === 1 ? '1 character' : `${count} characters`);

// Rules look at scalars: the value itself, or each element of a list. Objects have neither length nor text.
function textsOf(value: Json): readonly string[] {
  const scalars = Array.isArray(value) ? (value as readonly Json[]) : [value];
  return scalars.filter((entry) => entry !== null && typeof entry !== 'object').map(String);
}

// Lengths count code points, as patterns do; counting is only needed where the count of code units does not decide.
function isLongerThan(text: string, limit: number): boolean {
  return text.length > limit && (text.length > 2 * limit || codePoints(text) > limit);
}

function codePoints(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    if ((text.codePointAt(index) ?? 0) > 0xffff) index += 1;
    count += 1;
  }
  return count;
}

function checkLength(field: Field, texts: readonly string[]): ErrorItem | undefined {
  const { minLength, maxLength } = field.validation;
  if (minLength !== undefined && texts.some((text) => !isLongerThan(text, minLength - 1))) {
    return expecting(
      fieldIssue(field, 'is too short', 'ERROR_MIN_LENGTH'),
      `at least ${characters(minLength)}`,
    );
  }
  if (maxLength !== undefined && texts.some((text) => isLongerThan(text, maxLength))) {
    return expecting(
      fieldIssue(field, 'is too long', 'ERROR_MAX_LENGTH'),
      `at most ${characters(maxLength)}`,
    );
  }
  return undefined;
}

function checkType(field: Field, value: Json): ErrorItem | undefined {
  const problem = FIELD_TYPES[field.type].check(value);
  return problem && typeIssue(field, problem);
}

/** `before`, `after` and `integer`, of a value of the right type: elements of a list each. */
function checkRules(field: Field, value: Json): ErrorItem | undefined {
  const { before, after, integer } = field.validation.value ?? {};
  for (const each of Array.isArray(value) ? (value as readonly Json[]) : [value]) {
    const number = typeof each === 'string' ? Date.parse(each) : each;
    if (typeof number !== 'number' || Number.isNaN(number)) continue;
    if (before !== undefined && number >= before) {
      const limit = new Date(before).toISOString();
      return expecting(
        fieldIssue(field, `must be before ${limit}`, 'ERROR_BEFORE'),
        `an instant before ${limit}`,
      );
    }
    if (after !== undefined && number <= after) {
      const limit = new Date(after).toISOString();
      return expecting(
        fieldIssue(field, `must be after ${limit}`, 'ERROR_AFTER'),
        `an instant after ${limit}`,
      );
    }
    if (integer === true && !Number.isInteger(number)) {
      return expecting(fieldIssue(field, 'must be a whole number', 'ERROR_INTEGER'), 'a whole number');
    }
  }
  return undefined;
}

/**
 * Holds a value that is not null against its field. Undefined when all is well; a pending pattern when a worker
 * has to decide: because only it may run the pattern, or because the text is more than the quota covers.
 */
export function checkValue(
  field: Field,
  value: Json,
  quota: PatternQuota,
): ErrorItem | PendingPattern | undefined {
  const { regex, minLength, maxLength, value: rules } = field.validation;
  if (regex === undefined && minLength === undefined && maxLength === undefined && rules === undefined)
    return checkType(field, value);
  const texts = textsOf(value);
  const otherwise = checkLength(field, texts) ?? checkType(field, value) ?? checkRules(field, value);
  return regex === undefined || texts.length === 0
    ? otherwise
    : checkPattern(field, { rule: regex, texts, otherwise }, quota);
}

function checkPattern(
  field: Field,
  { rule, texts, otherwise }: Omit<PendingPattern, 'failure'>,
  quota: PatternQuota,
): ErrorItem | PendingPattern | undefined {
  const failure = fieldIssue(field, `should match the pattern ${rule.pattern}`, 'ERROR_REGEX');
  const { linear } = rule;
  if (linear === undefined || !spend(quota, linear.size, texts)) {
    return { rule, texts, failure, otherwise };
  }
  return texts.every((text) => linear.test(text)) ? otherwise : failure;
}
