// What the routes of documents say about themselves, for each collection.

import { ID_PATTERN } from '../../collections/model/fields/object-id.ts';
import type { ReadQueryParameter } from '../../collections/model/read-parameters.ts';
import { listOf, objectOf, ref } from '../../lib/json/schema-parts.ts';
import type {
  AnswerDescription,
  CollectionOperation,
  JsonSchema,
  ParameterDescription,
} from '../core/operation.ts';
import { json } from '../core/operation.ts';

type QueryName = ReadQueryParameter | 'cache' | 'callback';

const direction = { enum: ['asc', 'desc', '1', '-1'] };
const depth = {
  anyOf: [{ type: 'boolean' }, { const: 'all' }, { type: 'integer', minimum: 0, maximum: 999_999_999 }],
};
const object = { type: 'object' };

/** The parameters of reads, which `docs/queries.md` explains. */
const QUERY: Readonly<Record<QueryName, Omit<ParameterDescription, 'in' | 'name'>>> = {
  filter: {
    description: 'A JSON object: only documents that match it',
    schema: { ...object, examples: [{ title: 'Dune' }] },
    isJson: true,
  },
  count: {
    description: 'Documents on a page; 0: as many as are allowed',
    schema: { type: 'integer', minimum: 0 },
  },
  page: { description: 'Number of the page, from 1', schema: { type: 'integer', minimum: 0 } },
  skip: { description: 'Documents to leave out before the page', schema: { type: 'integer', minimum: 0 } },
  sort: {
    description: 'Name of a field, or a JSON object from names to 1 or -1',
    schema: { type: 'string', examples: ['title', '{"title":1}'] },
  },
  sortOrder: { description: 'Direction, where `sort` is a name', schema: direction },
  fields: {
    description: 'A JSON object from names to 1 (only these) or 0 (all but these)',
    schema: { ...object, additionalProperties: { enum: [0, 1] } },
    isJson: true,
  },
  compose: {
    description: 'Documents in place of the ids in reference fields: `true`, `all`, or a number of levels',
    schema: depth,
  },
  includeHistory: {
    description: '`true`: with the earlier states of each document',
    schema: { type: 'boolean' },
  },
  historyFilters: {
    description: 'A JSON object: only earlier states that match it',
    schema: object,
    isJson: true,
  },
  cache: { description: '`false`: not from the response cache', schema: { type: 'boolean' } },
  callback: {
    description: 'Name of a function: the answer is JSONP',
    schema: { type: 'string', pattern: '^[A-Za-z_$][A-Za-z0-9_$]*$' },
  },
};

/** The parameters of these names. */
export const queryParameters = (...names: readonly QueryName[]): readonly ParameterDescription[] =>
  names.map((name) => ({ in: 'query', name, ...QUERY[name] }));

const header = (name: string, description: string): ParameterDescription => ({
  in: 'header',
  name,
  description,
  schema: { type: 'string' },
});
const IF_MATCH = header('If-Match', 'An ETag: the write is refused with 412 where the document has changed');
const IF_NONE_MATCH = header('If-None-Match', 'ETags: 304 where the answer would be one of them');
const NOT_MODIFIED: AnswerDescription = { description: 'As the client has it' };
const ETAG = { ETag: 'Tells this state of the answer from others' };

const pathParameters = { id: 'Id of the document: 24 hex digits' };
const pathSchemas = { id: { type: 'string', pattern: ID_PATTERN } };

const read = (description: string, schema: JsonSchema): AnswerDescription => ({
  description,
  content: { ...json(schema), 'text/javascript': { type: 'string', description: 'With `callback`' } },
  headers: ETAG,
});

const results = (document: JsonSchema) => json(objectOf({ results: listOf(document) }));

/** Components of these operations. */
export const DOCUMENT_SCHEMAS = {
  Removal: objectOf({
    status: { const: 'success' },
    message: { type: 'string' },
    deleted: { type: 'integer' },
    deletedCount: { type: 'integer' },
    totalCount: { type: 'integer', description: 'Documents that are left' },
  }),
  Query: { type: 'object', description: 'A filter, as the parameter `filter` of a list takes it' },
};

const removed: Readonly<Record<number, AnswerDescription>> = {
  200: { description: 'Removed, with `feedback.enabled`', content: json(ref('Removal')) },
  204: { description: 'Removed' },
};

export const DOCUMENT_OPERATIONS = {
  list: {
    id: 'listDocuments',
    action: 'read',
    describe: ({ name, schemas }) => ({
      summary: `Finds documents of ${name}`,
      parameters: [
        ...queryParameters('filter', 'fields', 'sort', 'sortOrder', 'count', 'page', 'skip', 'compose'),
        ...queryParameters('includeHistory', 'historyFilters', 'cache', 'callback'),
        IF_NONE_MATCH,
      ],
      answers: { 200: read('A page of documents', schemas.page), 304: NOT_MODIFIED },
    }),
  },
  create: {
    id: 'createDocuments',
    action: 'create',
    isUpload: 'of media collections',
    describe: ({ name, isMedia, schemas }) => ({
      summary: isMedia ? `Uploads files to ${name}` : `Creates documents of ${name}`,
      parameters: queryParameters('compose'),
      body: {
        content: isMedia
          ? { 'multipart/form-data': schemas.created }
          : json({ oneOf: [schemas.created, { type: 'array', items: schemas.created, minItems: 1 }] }),
      },
      answers: isMedia
        ? { 201: { description: 'The records of the files', content: results(schemas.document) } }
        : { 200: { description: 'The documents as stored', content: results(schemas.document) } },
    }),
  },
  updateMany: {
    id: 'updateDocuments',
    action: 'update',
    describe: ({ name, schemas }) => ({
      summary: `Changes all documents of ${name} that match a query`,
      parameters: queryParameters('compose'),
      body: { content: json(objectOf({ query: ref('Query'), update: schemas.changed })) },
      answers: { 200: { description: 'The documents as stored', content: json(schemas.page) } },
    }),
  },
  removeMany: {
    id: 'deleteDocuments',
    action: 'delete',
    describe: ({ name }) => ({
      summary: `Deletes all documents of ${name} that match a query`,
      body: { content: json(objectOf({ query: ref('Query') })) },
      answers: removed,
    }),
  },
  stats: {
    id: 'getStatistics',
    action: 'read',
    readsAll: true,
    describe: ({ name, schemas }) => ({
      summary: `Sizes of ${name}`,
      answers: { 200: { description: 'Documents, bytes, indexes', content: json(schemas.stats) } },
    }),
  },
  count: {
    id: 'countDocuments',
    action: 'read',
    describe: ({ name, schemas }) => ({
      summary: `Counts documents of ${name}`,
      parameters: [...queryParameters('filter', 'count', 'cache'), IF_NONE_MATCH],
      answers: {
        200: { description: 'How many, and on how many pages', content: json(schemas.count), headers: ETAG },
        304: NOT_MODIFIED,
      },
    }),
  },
  get: {
    id: 'getDocument',
    action: 'read',
    describe: ({ name, schemas }) => ({
      summary: `Reads a document of ${name}`,
      pathParameters,
      pathSchemas,
      parameters: [
        ...queryParameters('fields', 'compose', 'includeHistory', 'historyFilters', 'cache', 'callback'),
        IF_NONE_MATCH,
      ],
      answers: { 200: read('A page with the document', schemas.page), 304: NOT_MODIFIED },
    }),
  },
  update: {
    id: 'updateDocument',
    action: 'update',
    describe: ({ name, schemas }) => ({
      summary: `Changes a document of ${name}`,
      pathParameters,
      pathSchemas,
      parameters: [...queryParameters('compose'), IF_MATCH],
      body: {
        content: json(schemas.changed),
        description: 'The fields that change; null removes a field. Older clients send them as `update`',
      },
      answers: { 200: { description: 'The document as stored', content: json(schemas.page) } },
    }),
  },
  remove: {
    id: 'deleteDocument',
    action: 'delete',
    describe: ({ name }) => ({
      summary: `Deletes a document of ${name}`,
      pathParameters,
      pathSchemas,
      parameters: [IF_MATCH],
      answers: removed,
    }),
  },
  history: {
    id: 'listRevisions',
    action: 'history',
    also: ['read'],
    describe: ({ name, schemas }) => ({
      summary: `Earlier states of a document of ${name}`,
      pathParameters,
      pathSchemas,
      parameters: [
        ...queryParameters(
          'filter',
          'historyFilters',
          'fields',
          'sort',
          'sortOrder',
          'count',
          'page',
          'skip',
        ),
        ...queryParameters('compose', 'cache'),
        IF_NONE_MATCH,
      ],
      answers: {
        200: { description: 'A page of revisions', content: json(schemas.revisions), headers: ETAG },
        304: NOT_MODIFIED,
      },
    }),
  },
  restore: {
    id: 'restoreRevision',
    action: 'update',
    also: ['read', 'history'],
    describe: ({ name, schemas }) => ({
      summary: `Writes an earlier state of a document of ${name} again`,
      pathParameters: { ...pathParameters, revisionId: 'Id of the revision' },
      pathSchemas: { ...pathSchemas, revisionId: pathSchemas.id },
      parameters: [...queryParameters('compose'), IF_MATCH],
      answers: { 200: { description: 'The document as stored', content: json(schemas.page) } },
    }),
  },
} as const satisfies Readonly<Record<string, CollectionOperation>>;
