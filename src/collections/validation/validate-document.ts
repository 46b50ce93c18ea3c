// Holds documents against their specification: defaults, required fields, the rules of each field, unknown fields.
import type { ErrorItem } from '../../errors.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { type Collection, type Field, INTERNAL_FIELDS, type PatternRule } from '../model/collection.ts';
import { FIELD_TYPES } from '../model/fields/field-types.ts';
import { checkValue, createPatternQuota, fieldIssue, type PendingPattern } from './field-rules.ts';

/** Past this many failures of one document nobody needs to know the others. */
const MAX_ISSUES = 1000;

export type WriteMode = 'create' | 'update';

export interface Validated {
  /** With defaults applied and values in the form that is stored. Not to be stored while `items` has any. */
  readonly document: JsonObject;
  /** Failures that are known already, without those of `pending`. */
  readonly items: readonly ErrorItem[];
  /** What a worker must decide first: hand it to `settlePatterns`. Empty but for patterns or texts that are too much for this thread. */
  readonly pending: readonly PendingPattern[];
  /** In mode `update`: fields that the specification does not declare. Whether they are failures, what is stored tells. */
  readonly undeclared: readonly string[];
  /** `items` and `pending` in the order of the answer. */
  readonly results: readonly (ErrorItem | PendingPattern)[];
}

/** Does every text match the pattern? False when the time for it is over. */
export type PatternMatcher = (rule: PatternRule, texts: readonly string[]) => Promise<boolean>;

const NOTHING: readonly never[] = [];

/** What is wrong with a field that the specification does not declare. */
export function undeclaredIssue(name: string): ErrorItem {
  return { field: name, message: "doesn't exist in the collection schema", code: 'ERROR_NOT_IN_SCHEMA' };
}

const isPending = (finding: ErrorItem | PendingPattern): finding is PendingPattern => 'rule' in finding;

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
 * Validates one document, or in mode `update` the fields that an update sets. Strip internals first.
 * Failures of required fields come first, in the order of the specification, then those of the fields as sent.
 */
export function validateDocument(collection: Collection, sent: JsonObject, mode: WriteMode): Validated {
  const document = mode === 'create' ? applyDefaults(collection, sent) : sent;
  const findings: (ErrorItem | PendingPattern)[] = [];
  for (const field of collection.fields.values()) {
    const item = field.required ? checkRequired(field, document, mode) : undefined;
    if (item !== undefined) findings.push(item);
  }
  const allowance = createPatternQuota();
  const undeclared: string[] = [];
  for (const [name, value] of Object.entries(document)) {
    if (findings.length >= MAX_ISSUES) break;
    const field = collection.fields.get(name);
    if (field === undefined) {
      if (mode === 'update') undeclared.push(name);
      else findings.push(undeclaredIssue(name));
      continue;
    }
    const finding = value === null ? undefined : checkValue(field, value, allowance);
    if (finding !== undefined) findings.push(finding);
  }
  if (findings.length === 0) {
    const normal = normalise(collection, document);
    return { document: normal, items: NOTHING, pending: NOTHING, undeclared, results: findings };
  }
  const pending = findings.filter(isPending);
  const items = findings.filter((finding) => !isPending(finding)) as ErrorItem[];
  const normal = items.length === 0 ? normalise(collection, document) : document;
  return { document: normal, items, pending, undeclared, results: findings };
}

/** All failures of a validated document, once the patterns that need a worker have been run. */
export async function resolvePatterns(
  validated: Validated,
  matches: PatternMatcher,
): Promise<readonly ErrorItem[]> {
  if (validated.pending.length === 0) return validated.items;
  const settled = await Promise.all(
    validated.results.map(async (finding) => {
      if (!isPending(finding)) return finding;
      return (await matches(finding.rule, finding.texts)) ? finding.otherwise : finding.failure;
    }),
  );
  return settled.filter((item) => item !== undefined);
}

/** The document without the fields that the server itself writes, so that a fetched one can be sent back. */
export function stripInternalFields(document: JsonObject): JsonObject {
  if (!INTERNAL_FIELDS.some((name) => Object.hasOwn(document, name))) return document;
  return Object.fromEntries(Object.entries(document).filter(([name]) => !INTERNAL_FIELDS.includes(name)));
}
