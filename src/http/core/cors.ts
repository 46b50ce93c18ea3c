// CORS of both listeners: by configuration for the content API, open to every origin for delivered files. It is applied by the
// first guard, before anything can be refused, so that pages can read every answer that the server makes.
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HTTP_METHODS } from '../../lib/http/methods.ts';
import type { HttpConfig } from './http-deps.ts';
import { urlPath } from './request-url.ts';

/** Sets the headers of an answer. True: the request is a preflight, whose answer is these headers. */
export type ApplyCors = (request: FastifyRequest, reply: FastifyReply) => boolean;

const EXPOSED_HEADERS = [
  ...['ETag', 'X-Request-Id', 'X-Cache', 'X-Cache-Lookup'],
  ...['WWW-Authenticate', 'Retry-After'],
].join(', ');
const METHODS = HTTP_METHODS.filter((method) => method !== 'OPTIONS').join(', ');
const FILE_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, X-Cache, X-Request-Id, Accept-Ranges, Content-Range, Retry-After',
};

/** Makes the function that sets the headers as configured; none where CORS is off. */
export function createCors(
  { enabled, origins }: HttpConfig['cors'],
  isEndpointCall: (raw: IncomingMessage) => boolean,
): ApplyCors {
  if (!enabled) return () => false;
  const isAnyAllowed = origins.includes('*');
  const allowed = new Set(origins);
  return (request, reply) => {
    const { origin } = request.headers;
    reply.header('Vary', 'Origin');
    // The origin of the request, or any when it names none.
    const allowedOrigin = isAnyAllowed ? (origin ?? '*') : origin;
    if (allowedOrigin !== undefined && (isAnyAllowed || allowed.has(allowedOrigin))) {
      reply.header('Access-Control-Allow-Origin', allowedOrigin);
    }
    reply.header('Access-Control-Expose-Headers', EXPOSED_HEADERS);
    if (request.raw.method !== 'OPTIONS' || isPlainCall(request.raw, isEndpointCall)) return false;
    allowMethodsAndHeaders(request, reply);
    return true;
  };
}

/** The code of an endpoint may answer an OPTIONS request that is no preflight. */
function isPlainCall(raw: IncomingMessage, isEndpointCall: (raw: IncomingMessage) => boolean): boolean {
  return raw.headers['access-control-request-method'] === undefined && isEndpointCall(raw);
}

function allowMethodsAndHeaders({ headers }: FastifyRequest, reply: FastifyReply): void {
  reply.headers({ Vary: 'Origin, Access-Control-Request-Headers', 'Access-Control-Allow-Methods': METHODS });
  const asked = headers['access-control-request-headers'];
  if (asked !== undefined) reply.header('Access-Control-Allow-Headers', asked);
}

const CLOSED_PATHS = /^\/(?:api|token|health)(?:\/|$)/;

/** Lets pages of every origin read what the delivery listener serves, but for its administration. */
export const applyFileCors: ApplyCors = (request, reply) => {
  if (!CLOSED_PATHS.test(urlPath(request.originalUrl))) reply.headers(FILE_HEADERS);
  return false;
};
