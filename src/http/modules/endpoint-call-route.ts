// The route to which calls of all endpoints are rewritten: accepts a call before its body is read, runs it, and sends the response.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { EndpointCall } from '../../endpoints/call.ts';
import type { EndpointRequest, EndpointResponse } from '../../endpoints/messages.ts';
import { AppError } from '../../errors/errors.ts';
import { unknownPathError } from '../access/request-access.ts';
import type { CustomCodeDeps, HttpDeps } from '../core/http-deps.ts';
import { passThrough } from '../core/reply.ts';
import { requestPath } from '../core/request-url.ts';
import { addAnyMethodRoute, type OnRequestHook } from '../core/resource.ts';
import { ENDPOINT_CALL_PATH, type UrlRewriter } from '../routing/url-rewrite.ts';
import { acceptEndpointBodies, type EndpointBody, NO_BODY } from './endpoint-body.ts';

type Deps = Pick<CustomCodeDeps, 'calls'> & Pick<HttpDeps, 'config' | 'isReady'>;

declare module 'fastify' {
  interface FastifyRequest {
    /** The accepted call, on requests for endpoints. */
    endpointCall: EndpointCall;
  }
}

/** Registers the one path to which calls of all endpoints are rewritten. */
export function endpointCallRoute(
  server: FastifyInstance,
  { calls, config, isReady }: Deps,
  { endpointOf }: Pick<UrlRewriter, 'endpointOf'>,
): void {
  const { jsonBytes, jsonValues } = config.limits;

  const acceptCall: OnRequestHook = (request, reply, done) => {
    const { client, method } = request;
    const match = endpointOf(request.raw);
    if (match === undefined) return done(unknownPathError(request));
    try {
      request.endpointCall = calls.accept(match, { method, client, path: requestPath(request) }, isReady());
    } catch (error) {
      if (method === 'OPTIONS' && error instanceof AppError && error.code === 'METHOD_NOT_ALLOWED') {
        return reply.code(204).headers(error.headers).send();
      }
      return done(error as Error);
    }
    done();
  };

  server.decorateRequest('endpointCall');
  server.addHook('onRequest', acceptCall);
  acceptEndpointBodies(server, ({ endpointCall: { moduleVersion } }) => {
    const { grants, limits } = moduleVersion.policy;
    return { bytes: Math.min(grants.request.maxBodyBytes, jsonBytes), heapMb: limits.heapMb, jsonValues };
  });
  addAnyMethodRoute(server, ENDPOINT_CALL_PATH, (request, reply) => {
    calls
      .run(request.endpointCall, toEndpointRequest(request))
      .then((response) => sendEndpointResponse(reply, response))
      .catch((error) => reply.send(error));
  });
}

function toEndpointRequest(request: FastifyRequest): EndpointRequest {
  return {
    method: request.method,
    url: request.originalUrl,
    headers: request.headers,
    body: (request.body as EndpointBody | undefined) ?? NO_BODY,
    client: request.client,
    ip: request.clientAddress,
    requestId: request.id,
  };
}

function sendEndpointResponse(reply: FastifyReply, { status, headers, body }: EndpointResponse): void {
  reply.code(status);
  for (const [name, value] of headers) {
    // The server's own `Vary` (CORS) is kept beside that of the code.
    const own = name === 'vary' ? reply.getHeader(name) : undefined;
    reply.header(name, own === undefined ? value : `${own}, ${value}`);
  }
  // A 304 says nothing about a body, not even that it is empty.
  reply.serializer(passThrough).send(status === 304 ? undefined : body);
}
