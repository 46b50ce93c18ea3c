// `/api/collections`: which collections there are, as far as the caller may read them.
import type { FastifyInstance } from 'fastify';
import { createCaller } from '../../auth/access.ts';
import type { Collection } from '../../collections/collection.ts';
import { requireClient } from '../authenticate.ts';
import type { HttpDeps } from '../deps.ts';
import { sendValue } from '../reply.ts';
import { resource } from '../resource.ts';

function listed(collection: Collection) {
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
export function apiCollectionsRoutes(
  server: FastifyInstance,
  { registry }: Pick<HttpDeps, 'registry'>,
): void {
  server.addHook('onRequest', requireClient);
  resource(server, '/api/collections', {
    GET: async (request, reply) => {
      const caller = createCaller(request.client);
      const readable = registry.list().filter((collection) => caller.may(collection, 'GET'));
      return sendValue(reply, { collections: readable.map(listed) });
    },
  });
}
