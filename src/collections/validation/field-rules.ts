// The validation rules of one field, applied to one value: pattern, length, type, in this order; the first failure counts.
import type { ErrorItem } from '../../errors/errors.ts';
import type { Json } from '../../lib/json/json.ts';
import type { Field, PatternRule } from '../model/collection.ts';
import { FIELD_TYPES } from '../model/fields/field-types.ts';

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

/** The allowance of one document. */
export function createPatternQuota(): PatternQuota {
  return { remaining: MAX_PATTERN_WORK };
}

function spend(allowance: PatternQuota, size: number, texts: readonly string[]): boolean {
  const work = texts.reduce((sum, text) => sum + (text.length + 1) * size, 0);
  if (work > allowance.remaining) return false;
  allowance.remaining -= work;
  return true;
}

/** An item for `field`; its own `message`, where the specification has one, replaces the rule's. */
export function fieldIssue(field: Field, message: string, code: string): ErrorItem {
  return { field: field.name, message: field.message ?? message, code };
}

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
    return fieldIssue(field, 'is too short', 'ERROR_MIN_LENGTH');
  }
  if (maxLength !== undefined && texts.some((text) => isLongerThan(text, maxLength))) {
    return fieldIssue(field, 'is too long', 'ERROR_MAX_LENGTH');
  }
  return undefined;
}

function checkType(field: Field, value: Json): ErrorItem | undefined {
  const problem = FIELD_TYPES[field.type].check(value);
  return problem && fieldIssue(field, problem.message, problem.code);
}

/**
 * Holds a value that is not null against its field. Undefined when all is well; a pending pattern when a worker
 * has to decide: because only it may run the pattern, or because the text is more than the allowance covers.
 */
export function checkValue(
  field: Field,
  value: Json,
  allowance: PatternQuota,
): ErrorItem | PendingPattern | undefined {
  const { regex, minLength, maxLength } = field.validation;
  if (regex === undefined && minLength === undefined && maxLength === undefined)
    return checkType(field, value);
  const texts = textsOf(value);
  const otherwise = () => checkLength(field, texts) ?? checkType(field, value);
  if (regex === undefined || texts.length === 0) return otherwise();
  const failure = fieldIssue(field, `should match the pattern ${regex.pattern}`, 'ERROR_REGEX');
  const { linear } = regex;
  if (linear === undefined || !spend(allowance, linear.size, texts)) {
    return { rule: regex, texts, failure, otherwise: otherwise() };
  }
  return texts.every((text) => linear.test(text)) ? otherwise() : failure;
}
