// What a media specification says of the fields that the server sets in every record, held against what they are.
import { isJsonObject, type Json } from '../../lib/json/json.ts';
import type { Field } from '../model/collection.ts';
import { FIELD_TYPES } from '../model/fields/field-types.ts';
import { isInEveryRecord, recordFieldType } from '../model/media-record-fields.ts';
import type { IssueCollector } from './issue-collector.ts';

/** Bytes of the longest file name that is stored; longer ones are cut. */
const MAX_FILE_NAME = 200;

/** Whether no record could ever have a value that the field takes. */
function isUnsatisfiable({ name, validation: { minLength = 0, maxLength } }: Field): boolean {
  return maxLength === 0 || (name === 'fileName' && minLength > MAX_FILE_NAME);
}

function checkRecordField(field: Field, hasType: boolean, report: IssueCollector): void {
  const { name } = field;
  const type = recordFieldType(name);
  if (type === undefined) return;
  // Without a type nothing is said of it; Mixed takes whatever comes.
  if (hasType && field.type !== type && !FIELD_TYPES[field.type].acceptsAny) {
    report.fieldIssue(name, `the server sets this field of every record, and as a ${type}`);
  }
  if (field.required && isUnsatisfiable(field)) {
    report.fieldIssue(name, 'the server sets this field, and never so that it keeps `validation`');
  }
  const where = `fields.${name}`;
  if (field.required && !isInEveryRecord(name)) {
    report.warn(where, '`required` has no effect: the server sets this field, and not every record has it');
  }
  if (Object.keys(field.validation).length > 0) {
    report.warn(where, '`validation` has no effect: the server sets this field');
  }
  if (field.default !== undefined) report.warn(where, '`default` has no effect: the server sets this field');
}

/** Reports declarations of record fields that contradict the server's, and warns of those without effect. */
export function checkDeclaredRecordFields(
  declared: ReadonlyMap<string, Field>,
  source: Json | undefined,
  report: IssueCollector,
): void {
  const entries = isJsonObject(source) ? source : {};
  for (const field of declared.values()) {
    const entry = entries[field.name];
    checkRecordField(field, isJsonObject(entry) && entry['type'] !== undefined, report);
  }
}
