// `/{version}/{database}/{collection}` and below: documents read and written.
import type { FastifyInstance } from 'fastify';
import { tooManyDocuments } from '../../collections/writes/write-body.ts';
import { acceptPlainJson } from '../body.ts';
import { createEnterCollection } from '../collection-scope.ts';
import type { HttpDeps } from '../deps.ts';
import { createDocumentReads, type ReadsOptions } from '../document-reads.ts';
import { createDocumentRemovals, createDocumentWrites } from '../document-writes.ts';
import { resource } from '../resource.ts';

const PATH = '/:version/:database/:collection';

type Deps = Pick<HttpDeps, 'config' | 'documents' | 'registry' | 'now' | 'store' | 'logger' | 'isReady'>;

/** Registers the documents of all collections; which ones there are is looked up at each request. */
export function documentRoutes(server: FastifyInstance, deps: Deps, options: ReadsOptions): void {
  const { jsonBytes: bodyLimit, jsonValues, batch } = deps.config.limits;
  const list = { most: batch, refuse: (sent: number) => tooManyDocuments(sent, batch) };
  acceptPlainJson(server, { values: jsonValues, list });
  server.addHook('onRequest', createEnterCollection(deps));
  const reads = createDocumentReads(deps, options);
  const writes = createDocumentWrites(deps);
  const removals = createDocumentRemovals(deps);
  const many = {
    GET: reads.list,
    POST: writes.create,
    PUT: writes.updateMany,
    DELETE: removals.many,
  };
  const one = {
    GET: reads.one,
    POST: writes.updateOne,
    PUT: writes.updateOne,
    DELETE: removals.one,
  };
  resource(server, PATH, many, { bodyLimit, conditional: true });
  resource(server, `${PATH}/stats`, { GET: reads.stats });
  resource(server, `${PATH}/count`, { GET: reads.count });
  resource(server, `${PATH}/:id`, one, { bodyLimit, conditional: true });
  resource(server, `${PATH}/:id/history`, { GET: reads.history });
}
