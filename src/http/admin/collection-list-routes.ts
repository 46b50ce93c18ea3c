// `/api/collections`: lists the collections that the caller may read.
import type { FastifyInstance } from 'fastify';
import { createCaller } from '../../auth/authorize.ts';
import type { Collection } from '../../collections/model/collection.ts';
import { requireClient } from '../access/authenticate.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { sendJson } from '../core/reply.ts';
import { addResource } from '../core/resource.ts';

function formatCollection(collection: Collection) {
  const { version, database, name, path, settings, lastModifiedAt } = collection;
  return {
    version,
    database,
    name: settings.displayName ?? name,
    slug: name,
    path,
    ...(lastModifiedAt === undefined ? {} : { lastModifiedAt }),
    ...(settings.media ? { type: 'media' } : {}),
  };
}

/** Registers the listing, sorted by path. */
export function collectionListRoutes(
  server: FastifyInstance,
  { registry }: Pick<HttpDeps, 'registry'>,
): void {
  server.addHook('onRequest', requireClient);
  addResource(server, '/api/collections', {
    GET: async (request, reply) => {
      const caller = createCaller(request.client);
      const readable = registry.list().filter((collection) => caller.may(collection, 'GET'));
      return sendJson(reply, { collections: readable.map(formatCollection) });
    },
  });
}
