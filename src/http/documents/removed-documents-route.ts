// The removed documents of a collection that can be restored. It stands beside what a client may know of a collection: below the path
// of the collection itself every segment may be an id.
import type { FastifyInstance } from 'fastify';
import type { ReadRequest } from '../../collections/model/read-parameters.ts';
import { listOf, objectOf, ref } from '../../lib/json/schema-parts.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { json, type Operation } from '../core/operation.ts';
import { sendJson } from '../core/reply.ts';
import { requireClient, usableCollectionOf } from '../core/request-access.ts';
import { createContextFactory } from '../core/request-context.ts';
import { addResource, type ResourceHandlers } from '../core/resource.ts';
import { queryParameters } from './document-operations.ts';
import { createReadQueryParser } from './read-query.ts';

/** Components of the operation. */
export const REMOVED_DOCUMENT_SCHEMAS = {
  RemovedDocument: objectOf({
    id: { type: 'string', description: 'Of the document, which it gets back' },
    revision: { type: 'string', description: 'Id of the revision that keeps its last state' },
    removedAt: { type: 'number', description: 'Milliseconds since 1970' },
    removedBy: { type: ['string', 'null'], description: 'Client id; null: removed by nobody that has one' },
    document: { type: 'object', description: 'The last state, without fields that the caller may not read' },
  }),
};

const LIST_REMOVED: Operation = {
  id: 'listRemovedDocuments',
  tag: 'Access',
  audience: 'clients',
  summary: 'Finds documents that were removed and can be restored',
  description:
    'Of a collection that keeps revisions: those removed last first, each with its last state, when it was removed and by whom. ' +
    'Restore one with `POST /{version}/{database}/{collection}/{id}/revisions/{revision}/restore`. The caller needs `history` and ' +
    '`read` of the last state. Documents that were removed before the server noted removals can be restored and are not in the list; ' +
    'neither are those that came back by an import.',
  pathParameters: {
    version: 'Version of the collection',
    database: 'Name of its database folder',
    collection: 'Name of the collection',
  },
  parameters: queryParameters('filter', 'fields', 'count', 'page', 'skip'),
  refusals: [403],
  answers: {
    200: {
      description: 'A page of removed documents',
      content: json(objectOf({ results: listOf(ref('RemovedDocument')), metadata: ref('page_metadata') })),
    },
  },
};

/** The parameters that have an effect. */
const pickParameters = ({ filter, fields, pageSize, page, skip }: ReadRequest): ReadRequest => ({
  ...(filter && { filter }),
  ...(fields && { fields }),
  ...(pageSize !== undefined && { pageSize }),
  ...(page !== undefined && { page }),
  ...(skip !== undefined && { skip }),
});

type Deps = Pick<HttpDeps, 'config' | 'documents' | 'now' | 'registry'>;

/** Registers the list. A collection with which the caller may do nothing is not there for it. */
export function removedDocumentRoutes(server: FastifyInstance, deps: Deps): void {
  const createContext = createContextFactory(deps);
  const parse = createReadQueryParser();
  server.addHook('onRequest', requireClient);
  const removed: ResourceHandlers = {
    GET: async (request, reply) => {
      const collection = usableCollectionOf(request, deps.registry);
      const parameters = pickParameters(parse(request.originalUrl).readRequest());
      const { entries, metadata } = await deps.documents.removed(
        collection,
        parameters,
        createContext(request),
      );
      return sendJson(reply, { results: entries, metadata });
    },
  };
  addResource(server, '/api/me/collections/:version/:database/:collection/deleted', removed, {
    operations: { GET: LIST_REMOVED },
  });
}
