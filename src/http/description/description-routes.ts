// `/docs/openapi.json`: the API description, of what the caller may use.

import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../errors/errors.ts';
import { matchesIfNoneMatch } from '../../lib/http/conditional.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import type { DescribedRoute, Operation } from '../core/operation.ts';
import { JSON_TYPE, sendText } from '../core/reply.ts';
import { assertReady } from '../core/request-access.ts';
import { addResource, type ResourceHandlers } from '../core/resource.ts';
import type { DescribedApi, DescriptionReader } from './describe-api.ts';

type Deps = Pick<HttpDeps, 'config' | 'registry' | 'modules' | 'version' | 'createCaller' | 'isReady'>;

/** Descriptions that are kept, each for one caller, and their characters in all. */
const MAX_DESCRIPTIONS = 100;
const MAX_DESCRIPTION_CHARACTERS = 32_000_000;

const GET_DESCRIPTION: Operation = {
  id: 'getApiDescription',
  tag: 'Server',
  audience: 'anyone',
  summary: 'This description: what the caller may use',
  answers: {
    200: {
      description: 'OpenAPI 3.1',
      content: { 'application/json': { type: 'object' } },
      headers: { ETag: 'Tells this state of the description from others' },
    },
    304: { description: 'As the client has it' },
  },
};

interface Description {
  readonly text: string;
  readonly etag: string;
  /** The lists of the registries that it was made of: both make a new one for each change. */
  readonly collections: object;
  readonly modules: object;
}

/** Makes the function that gives the description for a caller. It is made once until specifications or endpoints change. */
function createDescriptions(api: DescribedApi) {
  const kept = new LRUCache<object, Description>({
    max: MAX_DESCRIPTIONS,
    maxSize: MAX_DESCRIPTION_CHARACTERS,
    sizeCalculation: ({ text }) => text.length,
  });
  return async (reader: DescriptionReader): Promise<Description> => {
    const collections = api.registry.list();
    const modules = api.modules.list();
    const known = kept.get(reader.caller);
    if (known?.collections === collections && known.modules === modules) return known;
    // Loaded when it is asked for: nothing of it delays a start.
    const { describeApi } = await import('./describe-api.ts');
    const text = JSON.stringify(describeApi(api, reader));
    const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
    const made = { text, etag, collections, modules };
    kept.set(reader.caller, made);
    return made;
  };
}

/** Registers the description of these routes, its own among them. */
export function descriptionRoutes(
  server: FastifyInstance,
  { config, registry, modules, version, createCaller, isReady }: Deps,
  routes: readonly DescribedRoute[],
): void {
  const describe = createDescriptions({
    ...{ routes, registry, version },
    modules: modules.registry,
    title: config.server.name,
    publicUrl: config.publicUrl ?? null,
    media: { enabled: config.media.enabled !== false, public: config.media.public },
  });
  const handlers: ResourceHandlers = {
    GET: async (request, reply) => {
      if (!config.docs.enabled) throw new AppError('NOT_FOUND');
      assertReady(isReady);
      const { client, caller } = request;
      const { text, etag } = await describe({ client, caller, anonymous: createCaller(null) });
      reply.headers({ ETag: etag, 'Cache-Control': 'private, no-cache', Vary: 'Authorization' });
      if (matchesIfNoneMatch(request.headers['if-none-match'], etag)) return reply.code(304).send();
      return sendText(reply, JSON_TYPE, text);
    },
  };
  addResource(server, '/docs/openapi.json', handlers, { operations: { GET: GET_DESCRIPTION } });
}
