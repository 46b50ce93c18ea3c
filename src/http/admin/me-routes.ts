// `/api/me`: who the caller is, and what it may do, with every collection and with one. For whoever has a valid token.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Client } from '../../auth/clients/client.ts';
import { toPublicClient } from '../../auth/clients/client-record.ts';
import { type CollectionAccess, isHiddenPath, showsFields } from '../../collections/model/access.ts';
import type { Collection } from '../../collections/model/collection.ts';
import { FIELD_ATTRIBUTES, FIELD_DESCRIPTIONS } from '../../collections/specifications/parse-field.ts';
import { AppError } from '../../errors/errors.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { sendJson } from '../core/reply.ts';
import { permittedActions, requireClient, usableCollectionOf } from '../core/request-access.ts';
import { addResource, type ResourceHandlers } from '../core/resource.ts';
import { GET_ME, GET_MY_COLLECTION } from './me-operations.ts';

function formatRights(collection: Collection, { caller }: FastifyRequest) {
  const actions = permittedActions(caller.access(collection));
  if (actions.length === 0) return [];
  return [{ path: collection.path, actions, ...(collection.settings.media && { isMedia: true }) }];
}

function formatMe(client: Client) {
  return { ...toPublicClient(client), ...(client.issuer !== undefined && { issuer: client.issuer }) };
}

/** What is told of a field. Other attributes, which people keep for their own programs, are in the specification, for admins. */
const TOLD: ReadonlySet<string> = new Set(
  [...FIELD_ATTRIBUTES, ...FIELD_DESCRIPTIONS].filter((name) => name !== 'access'),
);

/** The fields of the specification that the caller may read, and no default of documents of which it may read none. */
function formatFields({ source, fields }: Collection, access: CollectionAccess): JsonObject {
  const specified = isJsonObject(source['fields']) ? source['fields'] : {};
  const isTold = (name: string) => TOLD.has(name) && (showsFields(access) || name !== 'default');
  const shown = Object.entries(specified).flatMap(([name, field]) => {
    if (access.hidden.has(name) || !fields.has(name) || !isJsonObject(field)) return [];
    const told = Object.entries(field).filter(([attribute]) => isTold(attribute));
    return [[name, Object.fromEntries(told)] as const];
  });
  return Object.fromEntries(shown);
}

function formatCollection(collection: Collection, access: CollectionAccess) {
  const { path, name, settings } = collection;
  const { sort, sortOrder, pageSize, compose, storeRevisions, signUploads, displayName, media } = settings;
  const isSortHidden = sort !== null && isHiddenPath(access, sort);
  return {
    path,
    name: displayName ?? name,
    actions: permittedActions(access),
    isMedia: media,
    fields: formatFields(collection, access),
    closed: [...access.closed].filter((field) => !access.hidden.has(field)),
    settings: {
      sort: isSortHidden ? null : sort,
      sortOrder,
      count: pageSize,
      compose: Boolean(compose),
      storeRevisions,
      signUploads,
    },
  };
}

/** Registers what the caller may know about itself. A collection with which it may do nothing is not there for it. */
export function meRoutes(server: FastifyInstance, { registry }: Pick<HttpDeps, 'registry'>): void {
  server.addHook('onRequest', requireClient);
  const me: ResourceHandlers = {
    GET: async (request, reply) => {
      const { client } = request;
      if (client === null) throw new AppError('NOT_FOUND');
      const collections = registry.list().flatMap((collection) => formatRights(collection, request));
      return sendJson(reply, { ...formatMe(client), collections });
    },
  };
  const one: ResourceHandlers = {
    GET: async (request, reply) => {
      const collection = usableCollectionOf(request, registry);
      return sendJson(reply, formatCollection(collection, request.caller.access(collection)));
    },
  };
  addResource(server, '/api/me', me, { operations: { GET: GET_ME } });
  addResource(server, '/api/me/collections/:version/:database/:collection', one, {
    operations: { GET: GET_MY_COLLECTION },
  });
}
