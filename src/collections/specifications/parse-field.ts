// Reads one entry of a specification's `fields` block.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { type Field, INTERNAL_FIELDS, type ReferenceSettings } from '../model/collection.ts';
import {
  DEFAULT_FIELD_TYPE,
  FALLBACK_FIELD_TYPE,
  FIELD_TYPES,
  type FieldType,
  isFieldType,
} from '../model/fields/field-types.ts';
import { checkValue, createPatternQuota } from '../validation/field-rules.ts';
import { checkCollectionName, checkDatabaseName } from './address.ts';
import type { IssueCollector } from './issue-collector.ts';
import { parseValidation, type SpecificationParseContext } from './parse-validation.ts';

const REMOVED_MEMBERS = { validationRule: 'validation.regex', limit: 'validation.maxLength' } as const;
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
  const { database, collection, fields, compose } = value as Record<
    keyof ReferenceSettings,
    Json | undefined
  >;
  if (database !== undefined && (typeof database !== 'string' || checkDatabaseName(database) !== undefined)) {
    report.fieldIssue(name, '`settings.database` must be the name of a database folder');
  }
  const target = typeof collection === 'string' && checkCollectionName(collection, '') === undefined;
  if (collection !== undefined && !target) {
    report.fieldIssue(name, '`settings.collection` must be the name of a collection');
  }
  const isNames = Array.isArray(fields) && fields.every((entry) => typeof entry === 'string');
  if (fields !== undefined && !isNames)
    report.fieldIssue(name, '`settings.fields` must be a list of field names');
  if (compose !== undefined && typeof compose !== 'boolean') {
    report.fieldIssue(name, '`settings.compose` must be true or false');
  }
  return {
    ...(typeof database === 'string' ? { database } : {}),
    ...(typeof collection === 'string' ? { collection } : {}),
    ...(isNames ? { fields: fields as readonly string[] } : {}),
    ...(typeof compose === 'boolean' ? { compose } : {}),
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

function checkMembers(name: string, source: JsonObject, report: IssueCollector): void {
  for (const [removed, replacement] of Object.entries(REMOVED_MEMBERS)) {
    if (Object.hasOwn(source, removed)) {
      report.fieldIssue(name, `\`${removed}\` was removed: use \`${replacement}\``);
    }
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
export function parseField(
  name: string,
  source: Json,
  reading: SpecificationParseContext,
): Field | undefined {
  const { issues: report } = reading;
  const badName = checkFieldName(name);
  if (badName !== undefined) report.fieldIssue(name, badName);
  if (!isJsonObject(source)) {
    report.fieldIssue(name, 'must be an object');
    return undefined;
  }
  checkMembers(name, source, report);
  const type = parseType(name, source['type'], report);
  const field: Field = {
    name,
    type,
    required: source['required'] === true,
    message: typeof source['message'] === 'string' ? source['message'] : undefined,
    default: Object.hasOwn(source, 'default') ? source['default'] : undefined,
    validation: parseValidation(name, source['validation'], reading),
    caseSensitive: source['matchType'] === 'exact',
    reference: FIELD_TYPES[type].reference ? parseReference(name, source['settings'], report) : {},
  };
  checkDefault(field, report);
  return field;
}
