// A document or revision of an older server as ours: the names of what the server itself writes, dates, records of files. The
// first two releases have our names; those from the third on begin them with an underscore.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { UNDERSCORED_INTERNALS } from '../../lib/underscored-internals.ts';

const OUR_NAMES: ReadonlySet<string> = new Set(UNDERSCORED_INTERNALS.values());

/** What revisions have beside the state of a document. `_document` is that of the fifth release and later. */
const OF_REVISIONS: ReadonlyMap<string, string> = new Map([
  ['_originalDocumentId', 'originalDocumentId'],
  ['_document', 'originalDocumentId'],
  ['_action', 'action'],
]);

/** What somebody said of a change. In a revision here it would be a field, and come back with its state. */
const DESCRIPTION = '_changeDescription';

/** What composition adds to answers; some documents were stored as they had been answered. */
const COMPOSED: ReadonlySet<string> = new Set(['_composed', 'composed']);

/** What the records of files call it, and our names. */
const OF_RECORDS: ReadonlyMap<string, string> = new Map([
  ['mimeType', 'mimetype'],
  ['awsUrl', 'cloudUrl'],
]);

const INSTANTS: ReadonlySet<string> = new Set(['createdAt', 'lastModifiedAt']);
/** The first and the last millisecond of the years 0000 to 9999: other dates have no ISO 8601 text of four digits. */
const MIN_INSTANT = -62_167_219_200_000;
const MAX_INSTANT = 253_402_300_799_999;

/** Which collections a Reference field leads to, by id: in `_refAuthor` for `author`. */
const REFERENCE_MAP = /^_ref\p{Lu}/u;

export interface DocumentKind {
  /** Names of fields whose dates are stored as ISO 8601 text. */
  readonly dateFields: ReadonlySet<string>;
  /** Names of fields that hold records of files, or their ids. */
  readonly mediaFields: ReadonlySet<string>;
  readonly isRevision: boolean;
  /** It is the record of a file. */
  readonly isRecord: boolean;
}

export interface ConvertedDocument {
  readonly document: JsonObject;
  /** Fields whose records of files had more members than their ids, which are left out. */
  readonly captioned: readonly string[];
  /** Fields that are left out, because their names are those of what the server writes here. */
  readonly dropped: readonly string[];
  /** Whether it is a revision with a description, which is left out. */
  readonly isDescribed: boolean;
  /** Maps of Reference fields that lead to several collections. They stay as they are. */
  readonly referenceMaps: readonly string[];
}

const toIsoText = (value: Json): Json =>
  typeof value === 'number' && value >= MIN_INSTANT && value <= MAX_INSTANT
    ? new Date(value).toISOString()
    : value;

const toIsoTexts = (value: Json): Json => (Array.isArray(value) ? value.map(toIsoText) : toIsoText(value));

/** Milliseconds, also where another program wrote a date. */
function toMilliseconds(value: Json): Json {
  const milliseconds = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(milliseconds) ? value : milliseconds;
}

/** The id of a record: some releases store an object around it. */
const toRecordId = (value: Json): Json =>
  isJsonObject(value) && typeof value['_id'] === 'string' ? value['_id'] : value;

const toRecordIds = (value: Json): Json => (Array.isArray(value) ? value.map(toRecordId) : toRecordId(value));

const hasMoreThanId = (value: Json): boolean =>
  Array.isArray(value) ? value.some(hasMoreThanId) : isJsonObject(value) && Object.keys(value).length > 1;

function convertValue(name: string, value: Json, { dateFields, mediaFields }: DocumentKind): Json {
  if (INSTANTS.has(name)) return toMilliseconds(value);
  if (mediaFields.has(name)) return toRecordIds(value);
  return dateFields.has(name) ? toIsoTexts(value) : value;
}

/** Our name for a member; undefined for one that is a field of the document. */
function serverName(name: string, { isRevision, isRecord }: DocumentKind): string | undefined {
  return (
    UNDERSCORED_INTERNALS.get(name) ??
    (isRevision ? OF_REVISIONS.get(name) : undefined) ??
    (isRecord ? OF_RECORDS.get(name) : undefined)
  );
}

const isEmptyObject = (value: Json) => isJsonObject(value) && Object.keys(value).length === 0;

/**
 * Converts a document. Every member that is none of the server's stays as it is, those with names of languages (`title:fr`)
 * among them.
 */
export function convertDocument(read: JsonObject, kind: DocumentKind): ConvertedDocument {
  const members = new Map<string, Json>();
  const dropped: string[] = [];
  const referenceMaps: string[] = [];
  const captioned: string[] = [];
  const isUnderscored = Object.keys(read).some((name) => UNDERSCORED_INTERNALS.has(name));
  for (const [name, value] of Object.entries(read)) {
    if (COMPOSED.has(name) || (kind.isRevision && name === DESCRIPTION)) continue;
    if (isUnderscored && OUR_NAMES.has(name)) {
      dropped.push(name);
      continue;
    }
    if (REFERENCE_MAP.test(name)) {
      if (isEmptyObject(value)) continue;
      referenceMaps.push(name);
    }
    if (kind.mediaFields.has(name) && hasMoreThanId(value)) captioned.push(name);
    const ours = serverName(name, kind) ?? name;
    // A record that has both names was written by two releases: the one that we use counts.
    if (ours !== name && Object.hasOwn(read, ours) && !OUR_NAMES.has(ours)) continue;
    members.set(ours, convertValue(ours, value, kind));
  }
  const isDescribed = kind.isRevision && read[DESCRIPTION] !== undefined;
  return { document: Object.fromEntries(members), captioned, dropped, isDescribed, referenceMaps };
}
