// `/docs/openapi.json`: the API description, of what the caller may use.

import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../errors/errors.ts';
import { Permits } from '../../lib/async/permits.ts';
import { textLength } from '../../lib/chunked-text.ts';
import { matchesIfNoneMatch } from '../../lib/http/conditional.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import type { DescribedRoute, Operation } from '../core/operation.ts';
import { JSON_TYPE, sendText } from '../core/reply.ts';
import { assertReady } from '../core/request-access.ts';
import { addResource, type ResourceHandlers } from '../core/resource.ts';
import { computeLongChecksum } from '../documents/read-response.ts';
import { assertNotGone, createCloseSignal } from '../transport/close-signal.ts';
import type { DescribedApi, DescriptionReader } from './described-parts.ts';

type Deps = Pick<HttpDeps, 'config' | 'registry' | 'modules' | 'version' | 'createCaller' | 'isReady'>;

/** Descriptions that are kept, each for one caller, and their characters in all. */
const MAX_DESCRIPTIONS = 100;
const MAX_DESCRIPTION_CHARACTERS = 40_000_000;
/** Requests that wait for their turn, and milliseconds that each of them does. */
const MAX_WAITING = 1000;
const MAX_WAIT_MS = 10_000;
/** How often one is made again because something changed while it was made. The last one is sent, and not kept. */
const MAX_ATTEMPTS = 3;

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
  /** JSON in pieces. */
  readonly text: readonly string[];
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
    sizeCalculation: ({ text }) => textLength(text),
  });
  // In memory there are the parts of one: it takes seconds of processor time where there are thousands of collections.
  const turns = new Permits({
    permits: 1,
    maxWaiting: MAX_WAITING,
    maxWaitMs: MAX_WAIT_MS,
    createError: () => new AppError('SERVER_BUSY', { message: 'Too many API descriptions are being made' }),
  });
  return async (reader: DescriptionReader, signal: AbortSignal): Promise<Description> => {
    const isInForce = ({ collections, modules }: Pick<Description, 'collections' | 'modules'>) =>
      collections === api.registry.list() && modules === api.modules.list();
    const make = async (): Promise<Description> => {
      for (let attempt = 1; ; attempt += 1) {
        const known = kept.get(reader.caller);
        if (known !== undefined && isInForce(known)) return known;
        const state = { collections: api.registry.list(), modules: api.modules.list() };
        // Loaded when it is asked for: nothing of it delays a start.
        const { describeApiInPieces } = await import('./describe-api.ts');
        const text = await describeApiInPieces(api, reader);
        const { checksum } = await computeLongChecksum(text);
        const made = { ...state, text, etag: `"${checksum}"` };
        if (isInForce(made)) kept.set(reader.caller, made);
        else if (attempt < MAX_ATTEMPTS) continue;
        return made;
      }
    };
    const known = kept.get(reader.caller);
    if (known !== undefined && isInForce(known)) return known;
    await turns.acquire(1, signal);
    try {
      return await make();
    } finally {
      turns.release();
    }
  };
}

/** Registers the description of these routes, its own among them. */
export function descriptionRoutes(
  server: FastifyInstance,
  { config, registry, modules, version, createCaller, isReady }: Deps,
  routes: readonly DescribedRoute[],
): void {
  const describe = createDescriptions({
    routes,
    registry,
    version,
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
      const signal = createCloseSignal(reply);
      const described = describe({ client, caller, anonymous: createCaller(null) }, signal);
      const { text, etag } = await described.catch((error: unknown) => {
        assertNotGone(signal, error);
        throw error;
      });
      reply.headers({ ETag: etag, 'Cache-Control': 'private, no-cache', Vary: 'Authorization' });
      if (matchesIfNoneMatch(request.headers['if-none-match'], etag)) return reply.code(304).send();
      return sendText(reply, JSON_TYPE, text);
    },
  };
  addResource(server, '/docs/openapi.json', handlers, { operations: { GET: GET_DESCRIPTION } });
}
