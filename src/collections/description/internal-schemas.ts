// The JSON Schemas of what the server itself writes into documents and revisions.
import type { JsonObject } from '../../lib/json/json.ts';
import { outsideNames } from '../internals/internal-names.ts';
import { type Collection, INTERNAL_FIELDS } from '../model/collection.ts';
import { ID_PATTERN } from '../model/fields/object-id.ts';
import { RECORD_FIELD_NAMES } from '../model/media-record-fields.ts';
import { REVISION_MEMBERS } from '../model/stored-document.ts';

const ID: JsonObject = { type: 'string', pattern: ID_PATTERN };
const MILLISECONDS: JsonObject = { type: 'integer' };
const CLIENT: JsonObject = { type: ['string', 'null'] };

const INTERNALS: Readonly<Record<string, JsonObject>> = {
  _id: { ...ID, description: 'Id of the document.' },
  apiVersion: { type: 'string', description: 'Version in the path of the last write.' },
  v: { type: 'integer', minimum: 0, description: 'Number of the state: it grows by one with each update.' },
  createdAt: { ...MILLISECONDS, description: 'When it was created, in milliseconds since 1970.' },
  createdBy: { ...CLIENT, description: 'The client that created it; null without a token.' },
  lastModifiedAt: {
    ...MILLISECONDS,
    description: 'When it was last updated, in milliseconds since 1970. Absent before the first update.',
  },
  lastModifiedBy: { ...CLIENT, description: 'The client that last updated it; null without a token.' },
  composed: {
    type: 'object',
    additionalProperties: { anyOf: [ID, { type: 'array', items: ID }] },
    description: 'The ids in whose place composition put documents, by the names of fields.',
  },
};

const readOnly = (schema: JsonObject): JsonObject => ({ ...schema, readOnly: true });

/**
 * The internal fields of documents in answers. `revision`: the schema of a revision, which `includeHistory` shows. `underscored`:
 * by the names that clients of later versions of the older server know.
 */
export function internalSchemas({
  revision,
  underscored,
}: {
  readonly revision?: JsonObject | undefined;
  readonly underscored: boolean;
}): Readonly<Record<string, JsonObject>> {
  const history = {
    type: 'array',
    items: revision === undefined ? ID : { anyOf: [ID, revision] },
    description: 'The ids of revisions, oldest first, where the collection keeps revisions.',
  };
  const schemas: Readonly<Record<string, JsonObject>> = { ...INTERNALS, history };
  const inside = Object.fromEntries(INTERNAL_FIELDS.map((name) => [name, readOnly(schemas[name] ?? {})]));
  return underscored ? outsideNames(inside) : inside;
}

/** What a revision has beside the state of its document. */
export const REVISION_SCHEMAS: Readonly<Record<string, JsonObject>> = {
  originalDocumentId: readOnly({ ...ID, description: 'Id of the document.' }),
  action: readOnly({
    enum: ['create', 'update', 'delete'],
    description: 'What led to the state, or ended it.',
  }),
};

const IGNORED = readOnly({ description: 'Set by the server: ignored in what is sent.' });

/** What a write may hold and the server ignores, so that a fetched document can be sent back as it is. */
export function ignoredSchemas(
  { settings, fields }: Collection,
  { holdsRecords, underscored }: { readonly holdsRecords: boolean; readonly underscored: boolean },
): Readonly<Record<string, JsonObject>> {
  const names = [
    ...INTERNAL_FIELDS,
    ...(settings.storeRevisions ? REVISION_MEMBERS.filter((name) => !fields.has(name)) : []),
    ...(holdsRecords ? RECORD_FIELD_NAMES : []),
  ];
  const ignored = Object.fromEntries(names.map((name) => [name, IGNORED]));
  return underscored ? outsideNames(ignored) : ignored;
}
