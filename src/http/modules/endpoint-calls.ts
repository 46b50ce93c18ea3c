// Calls of custom endpoints: who may, what is read of the request, what is sent of the answer.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { missingTokenError, notPermittedError } from '../../auth/auth-errors.ts';
import { authorizeEndpoint } from '../../auth/authorize.ts';
import { allowedMethods } from '../../endpoints/call.ts';
import type { EndpointRequest, EndpointResponse } from '../../endpoints/types.ts';
import { AppError, StoreError } from '../../errors.ts';
import type { EndpointMatch, LiveModule } from '../../modules/model/types.ts';
import { unknownPathError } from '../access/unknown-path.ts';
import type { CustomCodeDeps, HttpDeps } from '../core/http-deps.ts';
import { requestPath } from '../core/paths.ts';
import { passThrough } from '../core/reply.ts';
import { addAnyMethodRoute, type OnRequestHook } from '../core/resource.ts';
import { acceptEndpointBodies, NO_BODY } from './endpoint-body.ts';
import { ENDPOINT_CALL_PATH, type EndpointUrlRewriter } from './endpoint-url-rewrite.ts';

type Deps = Pick<CustomCodeDeps, 'calls'> & Pick<HttpDeps, 'config' | 'isReady'>;

/** The error for a caller who may not call this endpoint with this method, if so. */
function accessError(request: FastifyRequest, endpoint: LiveModule): AppError | undefined {
  const { address, authenticate } = endpoint;
  if (address.kind !== 'endpoint') return new AppError('NOT_FOUND');
  const { apiVersion: version, name } = address;
  const decision = authorizeEndpoint(request.client, { version, name, authenticate }, request.method);
  if (decision === 'ok') return undefined;
  return decision === 'no-token' ? missingTokenError() : notPermittedError(requestPath(request));
}

function toEndpointRequest(request: FastifyRequest): EndpointRequest {
  return {
    method: request.method,
    url: request.originalUrl,
    headers: request.headers,
    body: (request.body as EndpointRequest['body'] | undefined) ?? NO_BODY,
    client: request.client,
    ip: request.clientAddress,
    requestId: request.id,
  };
}

function sendEndpointResponse(reply: FastifyReply, { status, headers, body }: EndpointResponse): void {
  reply.code(status);
  for (const [name, value] of headers) {
    // What the server itself varies by (CORS) holds beside what the code says.
    const own = name === 'vary' ? reply.getHeader(name) : undefined;
    reply.header(name, own === undefined ? value : `${own}, ${value}`);
  }
  // Of a 304 nothing may be said about a body, not even that it is empty.
  reply.serializer(passThrough).send(status === 304 ? undefined : body);
}

/** Registers the one address at which every call arrives. */
export function endpointCallRoutes(
  server: FastifyInstance,
  { calls, config, isReady }: Deps,
  { getMatch: matchOf }: EndpointUrlRewriter,
): void {
  const matched = (request: FastifyRequest): EndpointMatch => {
    const match = matchOf(request.raw);
    if (match === undefined) throw unknownPathError(request);
    return match;
  };
  const enter: OnRequestHook = (request, reply, done) => {
    const match = matchOf(request.raw);
    if (match === undefined) return done(unknownPathError(request));
    const { endpoint } = match;
    const challenge = accessError(request, endpoint);
    if (challenge !== undefined) return done(challenge);
    if (!isReady()) return done(new StoreError('unavailable'));
    const refusal = calls.findError(endpoint, request.method);
    const onlyAsks = request.method === 'OPTIONS' && refusal?.code === 'METHOD_NOT_ALLOWED';
    if (onlyAsks) reply.code(204).header('Allow', allowedMethods(endpoint)).send();
    else done(refusal);
  };
  acceptEndpointBodies(server, (request) => {
    const { grants, limits } = matched(request).endpoint.moduleVersion?.policy ?? {};
    const granted = grants?.request.maxBodyBytes ?? 0;
    const { jsonBytes, jsonValues } = config.limits;
    return { bytes: Math.min(granted, jsonBytes), heapMb: limits?.heapMb ?? 0, jsonValues };
  });
  server.addHook('onRequest', enter);
  addAnyMethodRoute(server, ENDPOINT_CALL_PATH, (request, reply) => {
    calls
      .call(matched(request), toEndpointRequest(request))
      .then((response) => sendEndpointResponse(reply, response))
      .catch((error) => reply.send(error));
  });
}
