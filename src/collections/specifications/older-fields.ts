// Fields as specifications of the older servers declare them, in the words that this one has for them.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { quoteName } from '../../lib/nearest-name.ts';
import type { IssueCollector } from './issue-collector.ts';

/** Types of the older servers that have another name here. */
const OLDER_TYPES: ReadonlyMap<Json | undefined, string> = new Map([
  ['Array', 'Mixed'],
  ['Date', 'DateTime'],
]);
/** The bucket of a `Media` field that names none: the default of `media.defaultBucket`. */
export const DEFAULT_BUCKET = 'mediaStore';

interface FieldReading {
  readonly report: IssueCollector;
  /** The bucket of a `Media` field that names none. */
  readonly defaultBucket: string | undefined;
}

/** A `Media` field is a reference to a record of its bucket. */
function mediaReference({ settings, ...source }: JsonObject, defaultBucket = DEFAULT_BUCKET): JsonObject {
  const given = isJsonObject(settings) ? settings : {};
  const { mediaBucket, bucket, collection = mediaBucket ?? bucket ?? defaultBucket, ...others } = given;
  return { ...source, type: 'Reference', settings: { ...others, collection } };
}

/** A field with the format `unix` holds milliseconds since 1970, in the database as in answers. */
function milliseconds(source: JsonObject): JsonObject {
  const { validation } = source;
  const rules =
    isJsonObject(validation) || validation === undefined ? { ...validation, integer: true } : validation;
  return { ...source, type: 'Number', validation: rules };
}

function dateTime(name: string, { format, ...source }: JsonObject, { report }: FieldReading): JsonObject {
  if (format === 'unix') return milliseconds(source);
  if (format !== undefined && format !== null && format !== 'iso') {
    const shown = typeof format === 'string' ? quoteName(format) : 'this';
    report.warn(
      `fields.${name}`,
      `\`format\`: ${shown} has no effect: values are ISO 8601 text. Use \`iso\`, or \`unix\` for milliseconds since 1970, or declare a String for text of another form`,
    );
  }
  return source;
}

type ReadField = (name: string, source: JsonObject, reading: FieldReading) => JsonObject;

/** Types whose fields are declared in other words. */
const READERS: ReadonlyMap<Json | undefined, ReadField> = new Map([
  ['Media', (_name, source, { defaultBucket }) => mediaReference(source, defaultBucket)],
  ['DateTime', dateTime],
]);

/** The field as this server has it. What cannot be kept is a warning that says what would be right. */
export const readOlderField: ReadField = (name, source, reading) => {
  const type = OLDER_TYPES.get(source['type']);
  const field = type === undefined ? source : { ...source, type };
  return READERS.get(field['type'])?.(name, field, reading) ?? field;
};
