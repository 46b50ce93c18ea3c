// Which collections there are: `/{version}/{database}/{collection}/config`, their specifications, for admins only; `/api/collections`,
// the list of those that the caller may read.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Collection, CollectionAddress } from '../../collections/model/collection.ts';
import type { IndexProgress } from '../../collections/specifications/index-sync.ts';
import type { ChangeInterceptor } from '../../collections/specifications/specification-service.ts';
import { isJsonObject, type Json } from '../../lib/json/json.ts';
import { createAuditedChange, fingerprintJson } from '../core/audited-change.ts';
import { acceptTextAsJson, bodyLimit, jsonBody } from '../core/body-parsers.ts';
import { assertExpectedState, sendEntityTag } from '../core/entity-tags.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { missingCollectionError } from '../core/missing-collection.ts';
import { sendJson } from '../core/reply.ts';
import { collectionAddressOf, requireAdmin, requireClient } from '../core/request-access.ts';
import { hasSwitch } from '../core/request-url.ts';
import { addResource, type ResourceHandlers } from '../core/resource.ts';
import { LIST_COLLECTIONS, SPECIFICATION_OPERATIONS } from './specification-operations.ts';

/** Registers the specifications of collections. */
export function specificationRoutes(
  server: FastifyInstance,
  {
    specifications,
    registry,
    audit,
    config,
  }: Pick<HttpDeps, 'specifications' | 'registry' | 'audit' | 'config'>,
): void {
  const applyAudited = createAuditedChange(audit);
  const around =
    (request: FastifyRequest, { version, database, name }: CollectionAddress): ChangeInterceptor =>
    async ({ before, after }, apply) => {
      assertExpectedState(request, specifications.read({ version, database, name }));
      const replaced = before === undefined ? 'create' : 'replace';
      const change = {
        action: `specification.${after === undefined ? 'remove' : replaced}`,
        target: `/${version}/${database}/${name}`,
        before: fingerprintJson(before),
        after: fingerprintJson(after),
      };
      return applyAudited(request, change, apply);
    };
  const changeOptions = (request: FastifyRequest, address: CollectionAddress) => ({
    intercept: around(request, address),
    force: hasSwitch(request.originalUrl, 'force'),
  });
  const { jsonBytes, jsonValues } = config.limits;
  acceptTextAsJson(server, { maxValues: jsonValues });
  server.addHook('onRequest', requireAdmin);
  const handlers: ResourceHandlers = {
    GET: async (request, reply) => {
      const address = collectionAddressOf(request);
      const source = specifications.read(address);
      if (source === undefined) throw missingCollectionError(request, address, registry.list);
      return sendJson(sendEntityTag(reply, source), source);
    },
    POST: async (request, reply) => {
      const address = collectionAddressOf(request);
      const { created, warnings } = await specifications.put(
        address,
        jsonBody(request),
        changeOptions(request, address),
      );
      const message = created ? { message: `${address.name} collection created` } : {};
      return sendJson(reply, { result: 'success', ...message, warnings });
    },
    DELETE: async (request, reply) => {
      const address = collectionAddressOf(request);
      const warnings = await specifications.remove(address, changeOptions(request, address));
      const message = `${address.name} collection removed`;
      return sendJson(reply, { result: 'success', message, warnings });
    },
  };
  const limit = bodyLimit('specification', jsonBytes);
  const { get, put, remove } = SPECIFICATION_OPERATIONS;
  addResource(server, '/:version/:database/:collection/config', handlers, {
    operations: { GET: get, POST: put, DELETE: remove },
    bodyLimit: limit,
    handlesPreconditions: true,
  });
}

/** `media` or `mediaCollection`: clients of the older server know the one that its release had. */
function specifiedType({ source }: Collection): Json {
  const { settings } = source;
  return isJsonObject(settings) && settings['type'] !== undefined ? settings['type'] : 'media';
}

function formatCollection(collection: Collection, indexBuild: IndexProgress | undefined) {
  const { version, database, name, path, settings, lastModifiedAt } = collection;
  return {
    version,
    database,
    name: settings.displayName ?? name,
    slug: name,
    path,
    ...(lastModifiedAt === undefined ? {} : { lastModifiedAt }),
    ...(settings.media ? { type: specifiedType(collection) } : {}),
    ...(indexBuild === undefined ? {} : { indexes: indexBuild }),
  };
}

/** Registers the listing, sorted by path. */
export function collectionListRoutes(
  server: FastifyInstance,
  { registry, specifications }: Pick<HttpDeps, 'registry' | 'specifications'>,
): void {
  server.addHook('onRequest', requireClient);
  const handlers: ResourceHandlers = {
    GET: async (request, reply) => {
      const readable = registry
        .list()
        .filter((collection) => request.caller.access(collection).read !== null);
      const isAdmin = request.client?.accessType === 'admin';
      const buildOf = (collection: Collection) =>
        isAdmin ? specifications.indexBuild(collection) : undefined;
      const collections = readable.map((collection) => formatCollection(collection, buildOf(collection)));
      return sendJson(reply, { collections });
    },
  };
  addResource(server, '/api/collections', handlers, { operations: { GET: LIST_COLLECTIONS } });
}
