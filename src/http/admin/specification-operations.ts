// What the routes of specifications say about themselves.

import { listOf, objectOf, ref } from '../../lib/json/schema-parts.ts';
import { ETAG_HEADER, IF_MATCH } from '../core/entity-tags.ts';
import { json, type Operation, type ParameterDescription } from '../core/operation.ts';

const TAG = 'Collections';

const warnings = listOf({ type: 'string' });

/** Components of these operations. */
export const SPECIFICATION_SCHEMAS = {
  Specification: objectOf(
    {
      fields: { type: 'object', additionalProperties: { type: 'object' }, description: 'Fields by name' },
      settings: { type: 'object' },
    },
    ['settings'],
  ),
  SpecificationChange: objectOf({ result: { const: 'success' }, message: { type: 'string' }, warnings }, [
    'message',
  ]),
  ListedCollection: objectOf(
    {
      version: { type: 'string' },
      database: { type: 'string' },
      name: { type: 'string', description: '`settings.displayName`, else the name' },
      slug: { type: 'string', description: 'The name in paths' },
      path: { type: 'string' },
      lastModifiedAt: { type: 'integer', description: 'Epoch milliseconds' },
      type: { enum: ['media', 'mediaCollection'], description: 'Of collections that take files' },
      indexes: {
        ...objectOf({
          state: { enum: ['building', 'waiting', 'failed'] },
          since: { type: 'integer', description: 'Epoch milliseconds' },
        }),
        description:
          'For admins, while indexes of the collection do not serve: this server builds them, waits with that for its next start as the database went away, or could not build them, as its log says',
      },
    },
    ['lastModifiedAt', 'type', 'indexes'],
  ),
  CollectionList: objectOf({ collections: listOf(ref('ListedCollection')) }),
};

/** What the names in the path of a collection are. */
export const COLLECTION_PARAMETERS = {
  version: 'Version of the API, such as `1.0`',
  database: 'Name of the database',
  collection: 'Name of the collection',
};

const FORCE: ParameterDescription = {
  in: 'query',
  name: 'force',
  description: '`true`: also where other collections refer to it, or documents would be lost',
  schema: { type: 'boolean' },
};

const changed = {
  description: 'Done. `warnings` says what to look at',
  content: json(ref('SpecificationChange')),
};

export const SPECIFICATION_OPERATIONS = {
  get: {
    id: 'getSpecification',
    tag: TAG,
    audience: 'admins',
    summary: 'Reads the specification of a collection',
    pathParameters: COLLECTION_PARAMETERS,
    answers: {
      200: { description: 'As it was written', content: json(ref('Specification')), headers: ETAG_HEADER },
    },
  },
  put: {
    id: 'putSpecification',
    refusals: [409],
    tag: TAG,
    audience: 'admins',
    summary: 'Creates a collection, or replaces its specification',
    pathParameters: COLLECTION_PARAMETERS,
    parameters: [FORCE, IF_MATCH],
    body: { content: json(ref('Specification')) },
    answers: { 200: changed },
  },
  remove: {
    id: 'removeSpecification',
    refusals: [409],
    tag: TAG,
    audience: 'admins',
    summary: 'Removes a collection; its documents stay in the database',
    pathParameters: COLLECTION_PARAMETERS,
    parameters: [FORCE, IF_MATCH],
    answers: { 200: changed },
  },
} as const satisfies Readonly<Record<string, Operation>>;

export const LIST_COLLECTIONS: Operation = {
  id: 'listCollections',
  tag: TAG,
  audience: 'clients',
  summary: 'Lists the collections that the caller may read',
  answers: {
    200: {
      description: 'Sorted by path',
      content: json(ref('CollectionList')),
    },
  },
};
