// Parses the JSON of a collection specification into a live collection, collecting every issue and warning.
import { AppError } from '../../errors/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { UNDERSCORED_NAMES } from '../internals/internal-names.ts';
import type { Collection, CollectionAddress, Field } from '../model/collection.ts';
import { FIELD_TYPES } from '../model/fields/field-types.ts';
import { isInEveryRecord, recordFieldType, withRecordFields } from '../model/media-record-fields.ts';
import {
  checkCollectionAddress,
  collectionNameIssue,
  namespaceOf,
  storedNameOf,
} from './collection-address.ts';
import { createIssueCollector, type IssueCollector, type SpecificationWarning } from './issue-collector.ts';
import { createUnknownAttributes, warnNearMisses } from './near-misses.ts';
import { parseField, type SpecificationParseContext } from './parse-field.ts';
import { isMediaSettings, isUnderscored, parseSettings } from './parse-settings.ts';
import { createPatternCompiler, MAX_PATTERN_FIELDS, type PatternCompiler } from './pattern-compiler.ts';

export interface SpecificationOptions {
  /** Each database folder has a namespace of its own. */
  readonly enableCollectionDatabases: boolean;
  /** `media.defaultBucket`: what a `Media` field that names no bucket refers to. Its default unless given. */
  readonly defaultBucket?: string | undefined;
  /** Knows what was compiled already. A new one unless given. */
  readonly patterns?: PatternCompiler;
}

export interface ParsedSpecification {
  readonly collection: Collection;
  /** What loads but does not do what its author may expect. */
  readonly warnings: readonly SpecificationWarning[];
}

/** `mayBeEmpty`: the collection has fields of its own besides. */
function parseFields(
  source: Json | undefined,
  reading: SpecificationParseContext,
  mayBeEmpty: boolean,
): ReadonlyMap<string, Field> {
  const { issues: report } = reading;
  const fields = new Map<string, Field>();
  if (source === undefined || source === null) {
    report.add({ section: 'fields', field: 'fields', message: 'must be provided at least once' });
  } else if (!isJsonObject(source)) {
    report.add({ section: 'fields', field: 'fields', message: 'must be an object' });
  } else if (Object.keys(source).length === 0 && !mayBeEmpty) {
    report.add({ section: 'fields', field: 'fields', message: 'must include at least one field' });
  } else if (Object.keys(source).length > MAX_PATTERN_FIELDS) {
    report.add({
      section: 'fields',
      field: 'fields',
      message: `must not include more than ${MAX_PATTERN_FIELDS} fields`,
    });
  } else {
    for (const [name, entry] of Object.entries(source)) {
      const field = parseField(name, entry, reading);
      if (field !== undefined) fields.set(name, field);
    }
  }
  return fields;
}

function parseSettingsBlock(source: Json | undefined, report: IssueCollector): JsonObject {
  if (isJsonObject(source)) return source;
  const message = source === undefined || source === null ? 'must be provided' : 'must be an object';
  report.add({ section: 'settings', field: 'settings', message });
  return {};
}

const KNOWN_MEMBERS = ['fields', 'settings', 'model'];

/** Reports what is wrong with `model`, the name under which the documents are stored. */
function checkStoredName(
  source: JsonObject,
  address: CollectionAddress,
  { hasRecords, report }: { readonly hasRecords: boolean; readonly report: IssueCollector },
): void {
  const { model } = source;
  if (model === undefined || model === null || model === '' || model === address.name) return;
  const issue =
    typeof model === 'string'
      ? collectionNameIssue(model, address.database)
      : 'must be the name of a collection in the database, as text';
  if (issue !== undefined) report.add({ field: 'model', message: `\`model\` ${issue}` });
  else if (hasRecords)
    report.add({
      field: 'model',
      message: `\`model\` must be \`${address.name}\`: files are kept under the name of their collection. Name the specification \`collection.${String(model)}.json\``,
    });
}

/**
 * Reads the specification of the collection at `address`.
 * Throws SPECIFICATION_INVALID with one item for each problem; the texts of the missing blocks are those that
 * clients of the older dialect look for.
 */
export function parseSpecification(
  source: Json,
  address: CollectionAddress,
  { enableCollectionDatabases, defaultBucket, patterns = createPatternCompiler() }: SpecificationOptions,
): ParsedSpecification {
  if (!isJsonObject(source)) {
    throw new AppError('SPECIFICATION_INVALID', { message: 'A specification must be a JSON object' });
  }
  const report = createIssueCollector();
  warnNearMisses(report, '', source, KNOWN_MEMBERS);
  for (const item of checkCollectionAddress(address)) report.add(item);
  const hasRecords = isJsonObject(source['settings']) && isMediaSettings(source['settings']);
  checkStoredName(source, address, { hasRecords, report });
  const storedName = storedNameOf(source, address);
  const attributes = createUnknownAttributes();
  const declared = parseFields(
    source['fields'],
    { issues: report, patterns, attributes, defaultBucket },
    hasRecords,
  );
  attributes.warn(report);
  const block = parseSettingsBlock(source['settings'], report);
  if (hasRecords) checkDeclaredRecordFields(declared, source['fields'], report);
  const fields = hasRecords ? withRecordFields(declared) : declared;
  if (isUnderscored(block)) {
    for (const name of UNDERSCORED_NAMES.filter((each) => declared.has(each))) {
      report.fieldIssue(name, 'this name belongs to the server where `settings.internals` is `underscored`');
    }
  }
  const settings = parseSettings(block, { address: { ...address, name: storedName }, fields, report });
  if (report.issues.length > 0) throw new AppError('SPECIFICATION_INVALID', { items: report.issues });
  const { version, database, name } = address;
  const modified = block['lastModifiedAt'];
  const collection: Collection = {
    version,
    database,
    name,
    path: `/${version}/${database}/${name}`,
    namespace: namespaceOf(address, enableCollectionDatabases, storedName),
    fields,
    settings,
    source,
    implied: false,
    lastModifiedAt: typeof modified === 'number' ? modified : undefined,
  };
  return { collection, warnings: report.warnings };
}

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
function checkDeclaredRecordFields(
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
