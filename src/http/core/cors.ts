// CORS of both listeners: by configuration for the content API, open to every origin for delivered files.
import type { IncomingMessage } from 'node:http';
import cors, { type FastifyCorsOptions, type OriginFunction } from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { HttpConfig } from './http-deps.ts';
import type { OnRequestHook } from './resource.ts';

const EXPOSED_HEADERS = [
  ...['ETag', 'X-Request-Id', 'X-Cache', 'X-Cache-Lookup'],
  ...['WWW-Authenticate', 'Retry-After'],
];
const FILE_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, X-Cache, X-Request-Id, Accept-Ranges, Content-Range, Retry-After',
};

/** The origin of the request, or any when it names none. */
const reflectOrigin: OriginFunction = (origin, done) => done(null, origin ?? '*');

/** Registers CORS for all routes of the server, unless it is switched off. */
export function registerCors(
  server: FastifyInstance,
  { enabled, origins }: HttpConfig['cors'],
  isEndpointCall: (raw: IncomingMessage) => boolean,
): void {
  if (!enabled) return;
  const options = {
    origin: origins.includes('*') ? reflectOrigin : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED_HEADERS,
    strictPreflight: false,
  };
  const withoutPreflight = { ...options, preflight: false };
  // The code of an endpoint may answer an OPTIONS request that is no preflight.
  const isPlainCall = ({ raw }: FastifyRequest) =>
    raw.headers['access-control-request-method'] === undefined && isEndpointCall(raw);
  server.register(cors, {
    delegator: (request: FastifyRequest, done: (error: null, options: FastifyCorsOptions) => void) =>
      done(null, isPlainCall(request) ? withoutPreflight : options),
  });
}

/** Hook: lets pages of every origin read a delivered file. */
export const allowAllOrigins: OnRequestHook = (_request, reply, done) => {
  reply.headers(FILE_HEADERS);
  done();
};
