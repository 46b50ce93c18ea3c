// `/{version}/{database}/{collection}/config`: specifications, for admins only.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { CollectionAddress } from '../../collections/model/collection.ts';
import type { ChangeInterceptor } from '../../collections/specifications/specification-service.ts';
import { AppError } from '../../errors/errors.ts';
import { requireAdmin } from '../access/authenticate.ts';
import { collectionAddressOf } from '../access/collection-access.ts';
import { createAuditedChange, fingerprintJson } from '../core/audited-change.ts';
import { acceptTextAsJson, bodyLimit, jsonBody } from '../core/body-parsers.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { sendJson } from '../core/reply.ts';
import { addResource, type ResourceHandlers } from '../core/resource.ts';

/** Registers the specifications of collections. */
export function specificationRoutes(
  server: FastifyInstance,
  { specifications, audit, config }: Pick<HttpDeps, 'specifications' | 'audit' | 'config'>,
): void {
  const announce = createAuditedChange(audit);
  const around =
    (request: FastifyRequest, { version, database, name }: CollectionAddress): ChangeInterceptor =>
    ({ before, after }, apply) => {
      const replaced = before === undefined ? 'create' : 'replace';
      const change = {
        action: `specification.${after === undefined ? 'remove' : replaced}`,
        target: `/${version}/${database}/${name}`,
        before: fingerprintJson(before),
        after: fingerprintJson(after),
      };
      return announce(request, change, apply);
    };
  const { jsonBytes, jsonValues } = config.limits;
  acceptTextAsJson(server, { maxValues: jsonValues });
  server.addHook('onRequest', requireAdmin);
  const handlers: ResourceHandlers = {
    GET: async (request, reply) => {
      const source = specifications.read(collectionAddressOf(request));
      if (source === undefined) throw new AppError('NOT_FOUND');
      return sendJson(reply, source);
    },
    POST: async (request, reply) => {
      const address = collectionAddressOf(request);
      const { created } = await specifications.put(address, jsonBody(request), around(request, address));
      const message = created ? { message: `${address.name} collection created` } : {};
      return sendJson(reply, { result: 'success', ...message });
    },
    DELETE: async (request, reply) => {
      const address = collectionAddressOf(request);
      await specifications.remove(address, around(request, address));
      return sendJson(reply, { result: 'success', message: `${address.name} collection removed` });
    },
  };
  const limit = bodyLimit('specification', jsonBytes);
  addResource(server, '/:version/:database/:collection/config', handlers, { bodyLimit: limit });
}
