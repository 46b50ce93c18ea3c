// Calls of custom endpoints: who may, what is read of the request, what is sent of the answer.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { decideEndpoint } from '../../auth/access.ts';
import { noToken, notPermitted } from '../../auth/challenge.ts';
import { allowedMethods } from '../../endpoints/call.ts';
import type { EndpointRequest, EndpointResponse } from '../../endpoints/calls.ts';
import type { EndpointMatch, LiveModule } from '../../endpoints/modules.ts';
import { AppError, StoreError } from '../../errors.ts';
import type { Hook } from '../authenticate.ts';
import type { CustomCodeDeps, HttpDeps } from '../deps.ts';
import { CALL_PATH, type EndpointAddresses } from '../endpoint-address.ts';
import { pathOf } from '../error-handler.ts';
import { acceptGuestBodies, NO_BODY } from '../guest-body.ts';
import { asIs } from '../reply.ts';
import { anyMethod } from '../resource.ts';

type Deps = Pick<CustomCodeDeps, 'calls'> & Pick<HttpDeps, 'config' | 'isReady'>;

/** The error for a caller who may not call this endpoint with this method, if so. */
function challengeOf(request: FastifyRequest, endpoint: LiveModule): AppError | undefined {
  const { address, authenticate } = endpoint;
  if (address.kind !== 'endpoint') return new AppError('NOT_FOUND');
  const { apiVersion: version, name } = address;
  const decision = decideEndpoint(request.client, { version, name, authenticate }, request.method);
  if (decision === 'ok') return undefined;
  return decision === 'no-token' ? noToken() : notPermitted(pathOf(request));
}

function requestOf(request: FastifyRequest): EndpointRequest {
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

function send(reply: FastifyReply, { status, headers, body }: EndpointResponse): void {
  reply.code(status);
  for (const [name, value] of headers) {
    // What the server itself varies by (CORS) holds beside what the code says.
    const own = name === 'vary' ? reply.getHeader(name) : undefined;
    reply.header(name, own === undefined ? value : `${own}, ${value}`);
  }
  // Of a 304 nothing may be said about a body, not even that it is empty.
  reply.serializer(asIs).send(status === 304 ? undefined : body);
}

/** Registers the one address at which every call arrives. */
export function endpointCallRoutes(
  server: FastifyInstance,
  { calls, config, isReady }: Deps,
  { matchOf }: EndpointAddresses,
): void {
  const matched = (request: FastifyRequest): EndpointMatch => {
    const match = matchOf(request.raw);
    if (match === undefined) throw request.client === null ? noToken() : new AppError('NOT_FOUND');
    return match;
  };
  const enter: Hook = (request, reply, done) => {
    const match = matchOf(request.raw);
    if (match === undefined) return done(request.client === null ? noToken() : new AppError('NOT_FOUND'));
    const { endpoint } = match;
    const challenge = challengeOf(request, endpoint);
    if (challenge !== undefined) return done(challenge);
    if (!isReady()) return done(new StoreError('unavailable'));
    const refusal = calls.refusal(endpoint, request.method);
    const onlyAsks = request.method === 'OPTIONS' && refusal?.code === 'METHOD_NOT_ALLOWED';
    if (onlyAsks) reply.code(204).header('Allow', allowedMethods(endpoint)).send();
    else done(refusal);
  };
  acceptGuestBodies(server, (request) => {
    const { grants, limits } = matched(request).endpoint.unit?.policy ?? {};
    const granted = grants?.request.maxBodyBytes ?? 0;
    const { jsonBytes, jsonValues } = config.limits;
    return { bytes: Math.min(granted, jsonBytes), heapMb: limits?.heapMb ?? 0, jsonValues };
  });
  server.addHook('onRequest', enter);
  anyMethod(server, CALL_PATH, (request, reply) => {
    calls
      .call(matched(request), requestOf(request))
      .then((response) => send(reply, response))
      .catch((error) => reply.send(error));
  });
}
