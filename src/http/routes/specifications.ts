// `/{version}/{database}/{collection}/config`: specifications, for admins only.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { requireAdmin } from '../authenticate.ts';
import { acceptPlainJson, bodyOf } from '../body.ts';
import { addressOf } from '../collection-scope.ts';
import type { HttpDeps } from '../deps.ts';
import { sendValue } from '../reply.ts';
import { resource } from '../resource.ts';

/** Registers reading, posting and removing of collection specifications. */
export function specificationRoutes(
  server: FastifyInstance,
  { specifications, registry }: Pick<HttpDeps, 'specifications' | 'registry'>,
): void {
  acceptPlainJson(server);
  server.addHook('onRequest', requireAdmin);
  const known = (request: FastifyRequest) => {
    const address = addressOf(request);
    const collection = registry.get(address.version, address.database, address.name);
    if (collection === undefined) throw new AppError('NOT_FOUND');
    return collection;
  };
  resource(server, '/:version/:database/:collection/config', {
    GET: async (request, reply) => sendValue(reply, specifications.read(known(request))),
    POST: async (request, reply) => {
      const address = addressOf(request);
      const { created } = await specifications.put(address, bodyOf(request));
      const message = created ? { message: `${address.name} collection created` } : {};
      return sendValue(reply, { result: 'success', ...message });
    },
    DELETE: async (request, reply) => {
      const { name } = known(request);
      await specifications.remove(addressOf(request));
      return sendValue(reply, { result: 'success', message: `${name} collection removed` });
    },
  });
}
