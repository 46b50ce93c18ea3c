// The fields of a media record that only the server sets: what they hold, and what a specification may say of them.
import type { ErrorItem } from '../../errors/errors.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { IndexDefinition } from '../../stores/ports.ts';
import { createPlainField, type Field } from './collection.ts';
import type { FieldType } from './fields/field-types.ts';

interface RecordField {
  readonly type: FieldType;
  /** The JSON Schema of what the server sets. */
  readonly schema: JsonObject;
  /** Every record has it. */
  readonly always: boolean;
  /** Plain equality minds the case, unless the specification says otherwise: it names one file and no other. */
  readonly exact?: true;
}

const text = (description: string): JsonObject => ({ type: 'string', description });
const count = (description: string): JsonObject => ({ type: 'integer', description });

const RECORD_FIELDS: ReadonlyMap<string, RecordField> = new Map<string, RecordField>([
  ['fileName', { type: 'String', always: true, schema: text('Name of the stored file.') }],
  ['originalFileName', { type: 'String', always: true, schema: text('Name under which it was uploaded.') }],
  ['mimetype', { type: 'String', always: true, schema: text('Media type that the upload declared.') }],
  ['width', { type: 'Number', always: false, schema: count('Pixels, of an image.') }],
  ['height', { type: 'Number', always: false, schema: count('Pixels, of an image.') }],
  ['path', { type: 'String', always: true, exact: true, schema: text('Path in the media store.') }],
  ['contentLength', { type: 'Number', always: true, schema: count('Bytes.') }],
  [
    'cloudUrl',
    { type: 'String', always: false, exact: true, schema: text('URL of the file in its bucket.') },
  ],
  ['url', { type: 'String', always: true, exact: true, schema: text('Where this server has the file.') }],
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

/** The JSON Schema of a record field; undefined for any other name. */
export function recordFieldSchema(name: string): JsonObject | undefined {
  return RECORD_FIELDS.get(name)?.schema;
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
