// `/{version}/{database}/{collection}/config`: specifications, for admins only.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { CollectionAddress } from '../../collections/collection.ts';
import type { Around } from '../../collections/specifications/service.ts';
import { AppError } from '../../errors.ts';
import { createAnnounce, fingerprintOf } from '../admin-actions.ts';
import { requireAdmin } from '../authenticate.ts';
import { acceptPlainJson, bodyOf } from '../body.ts';
import { addressOf } from '../collection-scope.ts';
import type { HttpDeps } from '../deps.ts';
import { sendValue } from '../reply.ts';
import { resource } from '../resource.ts';

/** Registers reading, posting and removing of collection specifications. */
export function specificationRoutes(
  server: FastifyInstance,
  { specifications, audit }: Pick<HttpDeps, 'specifications' | 'audit'>,
): void {
  const announce = createAnnounce(audit);
  const around =
    (request: FastifyRequest, { version, database, name }: CollectionAddress): Around =>
    ({ before, after }, apply) => {
      const replaced = before === undefined ? 'create' : 'replace';
      const change = {
        action: `specification.${after === undefined ? 'remove' : replaced}`,
        target: `/${version}/${database}/${name}`,
        before: fingerprintOf(before),
        after: fingerprintOf(after),
      };
      return announce(request, change, apply);
    };
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
      const { created } = await specifications.put(address, bodyOf(request), around(request, address));
      const message = created ? { message: `${address.name} collection created` } : {};
      return sendValue(reply, { result: 'success', ...message });
    },
    DELETE: async (request, reply) => {
      const address = addressOf(request);
      await specifications.remove(address, around(request, address));
      return sendValue(reply, { result: 'success', message: `${address.name} collection removed` });
    },
  });
}
