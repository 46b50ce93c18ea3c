// The fields of a media record that only the server sets: what they hold, and what a specification may say of them.
import type { ErrorItem } from '../../errors/errors.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { IndexDefinition } from '../../stores/ports.ts';
import { createPlainField, type Field } from './collection.ts';
import type { FieldType } from './fields/field-types.ts';

interface RecordField {
  readonly type: FieldType;
  /** Every record has it. */
  readonly always: boolean;
  /** Plain equality minds the case, unless the specification says otherwise: it names one file and no other. */
  readonly exact?: true;
}

const RECORD_FIELDS: ReadonlyMap<string, RecordField> = new Map<string, RecordField>([
  ['fileName', { type: 'String', always: true }],
  ['originalFileName', { type: 'String', always: true }],
  ['mimetype', { type: 'String', always: true }],
  ['width', { type: 'Number', always: false }],
  ['height', { type: 'Number', always: false }],
  ['path', { type: 'String', always: true, exact: true }],
  ['contentLength', { type: 'Number', always: true }],
  ['cloudUrl', { type: 'String', always: false, exact: true }],
  ['url', { type: 'String', always: true, exact: true }],
]);

/** The names of the record fields. */
export const RECORD_FIELD_NAMES: readonly string[] = [...RECORD_FIELDS.keys()];

/** Finds the record of a file by its path. */
export const RECORD_PATH_INDEX: IndexDefinition = {
  name: 'path_1',
  keys: [{ path: 'path', direction: 1 }],
  unique: false,
  sparse: false,
};

/** The type of a record field; undefined for any other name. */
export function recordFieldType(name: string): FieldType | undefined {
  return RECORD_FIELDS.get(name)?.type;
}

/** Whether every record has the field. */
export function isInEveryRecord(name: string): boolean {
  return RECORD_FIELDS.get(name)?.always === true;
}

/**
 * The fields of a media collection: those of its specification, and every record field. A record field keeps what its
 * declaration says of queries; nothing is required of it, as no client sets it.
 */
export function withRecordFields(declared: ReadonlyMap<string, Field>): ReadonlyMap<string, Field> {
  const fields = new Map(declared);
  for (const [name, { type, exact = false }] of RECORD_FIELDS) {
    const known = declared.get(name);
    fields.set(name, createPlainField(name, type, known?.caseSensitive ?? exact));
  }
  return fields;
}

/** What is wrong with a record that comes without a file; `prefix` is its path in the document that holds it. */
export function missingFileIssue(prefix = ''): ErrorItem {
  return { field: `${prefix}file`, message: 'must be specified' };
}

/** The document without record fields. */
export function stripRecordFields(document: JsonObject): JsonObject {
  const names = Object.keys(document);
  if (!names.some((name) => RECORD_FIELDS.has(name))) return document;
  return Object.fromEntries(Object.entries(document).filter(([name]) => !RECORD_FIELDS.has(name)));
}
