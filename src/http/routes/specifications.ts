// `/{version}/{database}/{collection}/config`: specifications, for admins only.
import type { FastifyInstance } from 'fastify';
import type { CollectionAddress } from '../../collections/collection.ts';
import { AppError } from '../../errors.ts';
import { createNote, fingerprintOf } from '../admin-actions.ts';
import { requireAdmin } from '../authenticate.ts';
import { acceptPlainJson, bodyOf } from '../body.ts';
import { bodyLimit } from '../body-limits.ts';
import { addressOf } from '../collection-scope.ts';
import type { HttpDeps } from '../deps.ts';
import { sendValue } from '../reply.ts';
import { type Handlers, resource } from '../resource.ts';

/** Registers reading, posting and removing of collection specifications. */
export function specificationRoutes(
  server: FastifyInstance,
  { specifications, audit, config }: Pick<HttpDeps, 'specifications' | 'audit' | 'config'>,
): void {
  const note = createNote(audit);
  const stateAt = (address: CollectionAddress) => fingerprintOf(specifications.read(address));
  const pathTo = ({ version, database, name }: CollectionAddress) => `/${version}/${database}/${name}`;
  const { jsonBytes, jsonValues } = config.limits;
  acceptPlainJson(server, { values: jsonValues });
  server.addHook('onRequest', requireAdmin);
  const handlers: Handlers = {
    GET: async (request, reply) => {
      const source = specifications.read(addressOf(request));
      if (source === undefined) throw new AppError('NOT_FOUND');
      return sendValue(reply, source);
    },
    POST: async (request, reply) => {
      const address = addressOf(request);
      const before = stateAt(address);
      const { created } = await specifications.put(address, bodyOf(request));
      const action = created ? 'specification.create' : 'specification.replace';
      await note(request, { action, target: pathTo(address), before, after: stateAt(address) });
      const message = created ? { message: `${address.name} collection created` } : {};
      return sendValue(reply, { result: 'success', ...message });
    },
    DELETE: async (request, reply) => {
      const address = addressOf(request);
      const before = stateAt(address);
      await specifications.remove(address);
      await note(request, { action: 'specification.remove', target: pathTo(address), before, after: null });
      return sendValue(reply, { result: 'success', message: `${address.name} collection removed` });
    },
  };
  const limit = bodyLimit('specification', jsonBytes);
  resource(server, '/:version/:database/:collection/config', handlers, { bodyLimit: limit });
}
