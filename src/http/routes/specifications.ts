// `/{version}/{database}/{collection}/config`: specifications, for admins only.
import type { FastifyInstance } from 'fastify';
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
  { specifications }: Pick<HttpDeps, 'specifications'>,
): void {
  acceptPlainJson(server);
  server.addHook('onRequest', requireAdmin);
  resource(server, '/:version/:database/:collection/config', {
    GET: async (request, reply) => {
      const source = specifications.read(addressOf(request));
      if (source === undefined) throw new AppError('NOT_FOUND');
      return sendValue(reply, source);
    },
    POST: async (request, reply) => {
      const address = addressOf(request);
      const { created } = await specifications.put(address, bodyOf(request));
      const message = created ? { message: `${address.name} collection created` } : {};
      return sendValue(reply, { result: 'success', ...message });
    },
    DELETE: async (request, reply) => {
      const address = addressOf(request);
      await specifications.remove(address);
      return sendValue(reply, { result: 'success', message: `${address.name} collection removed` });
    },
  });
}
