// Parses one entry of a specification's `fields` block, with its `validation`.

import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { didYouMean } from '../../lib/nearest-name.ts';
import {
  type Field,
  type FieldValidation,
  INTERNAL_FIELDS,
  type PatternRule,
  type ReferenceSettings,
} from '../model/collection.ts';
import {
  DEFAULT_FIELD_TYPE,
  FALLBACK_FIELD_TYPE,
  FIELD_TYPES,
  type FieldType,
  isFieldType,
} from '../model/fields/field-types.ts';
import { isComposeDepth } from '../model/read-parameters.ts';
import { checkValue, createPatternQuota } from '../validation/validate-document.ts';
import { collectionNameIssue, databaseNameIssue } from './collection-address.ts';
import type { IssueCollector } from './issue-collector.ts';
import { type UnknownAttributes, warnNearMisses, warnUnknown } from './near-misses.ts';
import { readOlderField } from './older-fields.ts';
import { parseFieldAccess } from './parse-access.ts';
import { parseValueRules, VALUE_RULES } from './parse-value-rules.ts';
import { effectiveFlags, type PatternCompiler } from './pattern-compiler.ts';

const REMOVED_MEMBERS = { validationRule: 'validation.regex', limit: 'validation.maxLength' } as const;
export const VALIDATION_RULES = ['minLength', 'maxLength', 'regex', ...VALUE_RULES];
export const FIELD_ATTRIBUTES = [
  'type',
  'required',
  'message',
  'default',
  'validation',
  'matchType',
  'settings',
  'access',
];
/** Kept for people and for their programs. */
export const FIELD_DESCRIPTIONS = ['label', 'comments', 'example', 'placement', 'display'];
export const REFERENCE_SETTINGS = ['database', 'collection', 'fields', 'compose', 'multiple'];
const MATCH_TYPES = ['exact', 'ignoreCase'];

function checkFieldName(name: string): string | undefined {
  if (name === '' || name.includes('.')) return 'a field name must not be empty or have a dot';
  if (name.startsWith('$') || name === '__proto__') {
    return 'a field name must not start with `$` or be `__proto__`';
  }
  if (name.includes('\0') || !name.isWellFormed()) return 'a field name must be text without NUL';
  return INTERNAL_FIELDS.includes(name) ? 'this name belongs to the server' : undefined;
}

function parseType(name: string, value: Json | undefined, report: IssueCollector): FieldType {
  if (value === undefined) return DEFAULT_FIELD_TYPE;
  if (typeof value === 'string' && isFieldType(value)) return value;
  const shown = typeof value === 'string' ? `\`${value.slice(0, 100)}\`` : 'this';
  report.fieldIssue(name, `${shown} is not a type: use ${Object.keys(FIELD_TYPES).join(', ')}`);
  return FALLBACK_FIELD_TYPE;
}

function parseReference(name: string, value: Json | undefined, report: IssueCollector): ReferenceSettings {
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) {
    report.fieldIssue(name, '`settings` must be an object');
    return {};
  }
  warnUnknown(report, `fields.${name}.settings`, value, REFERENCE_SETTINGS);
  const { database, collection, fields, compose } = value as Record<
    keyof ReferenceSettings,
    Json | undefined
  >;
  if (database !== undefined && (typeof database !== 'string' || databaseNameIssue(database) !== undefined)) {
    report.fieldIssue(name, '`settings.database` must be the name of a database folder');
  }
  const target = typeof collection === 'string' && collectionNameIssue(collection, '') === undefined;
  if (collection !== undefined && !target) {
    report.fieldIssue(name, '`settings.collection` must be the name of a collection');
  }
  const isNames = Array.isArray(fields) && fields.every((entry) => typeof entry === 'string');
  if (fields !== undefined && !isNames)
    report.fieldIssue(name, '`settings.fields` must be a list of field names');
  if (compose !== undefined && !isComposeDepth(compose)) {
    report.fieldIssue(name, '`settings.compose` must be true or false, a number of levels, or `all`');
  }
  return {
    ...(typeof database === 'string' ? { database } : {}),
    ...(typeof collection === 'string' ? { collection } : {}),
    ...(isNames ? { fields: fields as readonly string[] } : {}),
    ...(compose === undefined ? {} : { compose: Boolean(compose) }),
  };
}

function checkDefault(field: Field, report: IssueCollector): void {
  if (field.default === undefined || field.default === null) return;
  const problem = FIELD_TYPES[field.type].check(field.default);
  if (problem !== undefined) {
    report.fieldIssue(field.name, `\`default\` ${problem.message}`);
  } else if (checkValue(field, field.default, createPatternQuota()) !== undefined) {
    report.warn(`fields.${field.name}`, '`default` may break the rules of the field itself');
  }
}

function checkMembers(
  name: string,
  source: JsonObject,
  { issues: report, attributes }: SpecificationParseContext,
): void {
  for (const [removed, replacement] of Object.entries(REMOVED_MEMBERS)) {
    if (Object.hasOwn(source, removed)) {
      report.fieldIssue(name, `\`${removed}\` was removed: use \`${replacement}\``);
    }
  }
  const known = [...FIELD_ATTRIBUTES, ...VALIDATION_RULES, ...FIELD_DESCRIPTIONS];
  const others = warnNearMisses(report, `fields.${name}`, source, known);
  attributes.add(
    name,
    others.filter((attribute) => !Object.hasOwn(REMOVED_MEMBERS, attribute)),
  );
  for (const rule of VALIDATION_RULES.filter((entry) => Object.hasOwn(source, entry))) {
    report.warn(`fields.${name}`, `\`${rule}\` has no effect here: it belongs in \`validation\``);
  }
  const { required, message, matchType } = source;
  if (required !== undefined && typeof required !== 'boolean') {
    report.fieldIssue(name, '`required` must be true or false');
  }
  if (message !== undefined && typeof message !== 'string') report.fieldIssue(name, '`message` must be text');
  if (matchType !== undefined && typeof matchType !== 'string') {
    report.fieldIssue(name, '`matchType` must be text');
  } else if (matchType !== undefined && !MATCH_TYPES.includes(matchType)) {
    report.warn(`fields.${name}`, '`matchType` is neither `exact` nor `ignoreCase`: queries ignore the case');
  }
}

/** Reads the field `name`. What is wrong goes into the report; the result is only meant for use when nothing is. */
export function parseField(name: string, given: Json, context: SpecificationParseContext): Field | undefined {
  const { issues: report } = context;
  const badName = checkFieldName(name);
  if (badName !== undefined) report.fieldIssue(name, badName);
  if (!isJsonObject(given)) {
    report.fieldIssue(name, 'must be an object');
    return undefined;
  }
  const source = readOlderField(name, given, { report, defaultBucket: context.defaultBucket });
  checkMembers(name, source, context);
  const type = parseType(name, source['type'], report);
  const field: Field = {
    name,
    type,
    required: source['required'] === true,
    // Generated specifications have an empty one in every field.
    message:
      typeof source['message'] === 'string' && source['message'] !== '' ? source['message'] : undefined,
    default: Object.hasOwn(source, 'default') ? source['default'] : undefined,
    validation: parseValidation(name, source['validation'], context),
    caseSensitive: source['matchType'] === 'exact',
    reference: FIELD_TYPES[type].reference ? parseReference(name, source['settings'], report) : {},
    access: parseFieldAccess(name, source['access'], report),
  };
  checkDefault(field, report);
  return field;
}

const MAX_PATTERN_CHARACTERS = 10_000;
const FLAGS = /^[imsgu]*$/;

const isLength = (value: Json | undefined): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

function checkLengths(name: string, { minLength, maxLength }: JsonObject, report: IssueCollector): void {
  for (const [rule, value] of Object.entries({ minLength, maxLength })) {
    if (value !== undefined && value !== null && !isLength(value)) {
      report.fieldIssue(name, `\`validation.${rule}\` must be a whole number, zero or more`);
    }
  }
  if (isLength(minLength) && isLength(maxLength) && minLength > maxLength) {
    report.fieldIssue(name, '`validation.minLength` is greater than `validation.maxLength`');
  }
}

// What the platform says of a pattern, without the pattern itself and the words around it.
function checkSyntax(pattern: string, flags: string): string | undefined {
  try {
    new RegExp(pattern, flags);
    return undefined;
  } catch (error) {
    const text = error instanceof Error ? error.message : '';
    return text.slice(text.lastIndexOf(': ') + 2);
  }
}

function parseRegex(
  name: string,
  value: Json | undefined,
  { issues: report, patterns }: SpecificationParseContext,
): PatternRule | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value) || typeof value['pattern'] !== 'string') {
    report.fieldIssue(name, '`validation.regex` must be an object with a text `pattern`');
    return undefined;
  }
  const { pattern, flags: sentFlags = '' } = value as { pattern: string; flags?: Json };
  if (typeof sentFlags !== 'string' || !FLAGS.test(sentFlags)) {
    report.fieldIssue(name, '`validation.regex.flags` may have the letters i, m and s');
    return undefined;
  }
  if (pattern.length > MAX_PATTERN_CHARACTERS) {
    report.fieldIssue(
      name,
      `\`validation.regex.pattern\` is longer than ${MAX_PATTERN_CHARACTERS} characters`,
    );
    return undefined;
  }
  const flags = effectiveFlags(sentFlags);
  const problem = checkSyntax(pattern, flags);
  if (problem !== undefined) {
    report.fieldIssue(name, `\`validation.regex.pattern\` is not a regular expression: ${problem}`);
    return undefined;
  }
  const linear = patterns.compile(pattern, flags);
  warnAboutPattern(name, { pattern, flags, linear }, report);
  return { pattern, flags, linear };
}

function warnAboutPattern(name: string, { pattern, linear }: PatternRule, report: IssueCollector): void {
  if (pattern.length > 1 && pattern.startsWith('/') && pattern.endsWith('/')) {
    report.warn(`fields.${name}`, 'the slashes around `validation.regex.pattern` are part of the pattern');
  }
  if (linear === undefined) {
    report.warn(
      `fields.${name}`,
      '`validation.regex.pattern` is beyond the linear-time engine: it runs apart, for at most 100 ms a value',
    );
  }
}

/** What a specification is read with. */
export interface SpecificationParseContext {
  readonly issues: IssueCollector;
  readonly attributes: UnknownAttributes;
  readonly patterns: PatternCompiler;
  /** The bucket of a `Media` field that names none. */
  readonly defaultBucket?: string | undefined;
}

/** Reads a `validation` block; what is wrong with it goes into `report` under the field `name`. */
export function parseValidation(
  name: string,
  source: Json | undefined,
  context: SpecificationParseContext,
): FieldValidation {
  const { issues: report } = context;
  if (source === undefined || source === null) return {};
  if (!isJsonObject(source)) {
    report.fieldIssue(name, '`validation` must be an object');
    return {};
  }
  for (const key of Object.keys(source).filter((entry) => !VALIDATION_RULES.includes(entry))) {
    const guess = report.mayCompare() ? didYouMean(key, VALIDATION_RULES) : '';
    report.warn(`fields.${name}`, `\`validation.${key.slice(0, 100)}\` is no rule and has no effect${guess}`);
  }
  checkLengths(name, source, report);
  const { minLength, maxLength } = source;
  const regex = parseRegex(name, source['regex'], context);
  const value = parseValueRules(name, source, report);
  return {
    ...(isLength(minLength) ? { minLength } : {}),
    ...(isLength(maxLength) ? { maxLength } : {}),
    ...(regex === undefined ? {} : { regex }),
    ...(value === undefined ? {} : { value }),
  };
}
