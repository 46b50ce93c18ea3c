// The route to which calls of all endpoints are rewritten: accepts a call before its body is read, reads the body, which is held against its
// limits and checked for form but handed on as text, runs the call, and sends the response.

import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { EndpointCall } from '../../endpoints/call.ts';
import type { EndpointRequest, EndpointResponse } from '../../endpoints/messages.ts';
import { AppError } from '../../errors/errors.ts';
import { andThen, attempt, type MaybePromise } from '../../lib/async/maybe-promise.ts';
import { anyJsonFitsHeap, isShortForm, jsonFitsHeap, textFitsHeap } from '../../lib/json/heap-estimate.ts';
import type { JsonShape } from '../../lib/json/json-scan.ts';
import type { CustomCodeDeps, HttpDeps } from '../core/http-deps.ts';
import { ENDPOINT_CALL_PATH } from '../core/internal-paths.ts';
import { decodeUtf8, validateJsonBody, validateShortJson } from '../core/json-body.ts';
import { passThrough } from '../core/reply.ts';
import { unknownPathError } from '../core/request-access.ts';
import { requestPath } from '../core/request-url.ts';
import { addAnyMethodRoute, type RequestGuard } from '../core/resource.ts';
import type { UrlRewriter } from '../core/url-rewrite.ts';

type EndpointBody = EndpointRequest['body'];
type Deps = Pick<CustomCodeDeps, 'calls'> & Pick<HttpDeps, 'config' | 'isReady'>;

export const NO_BODY: EndpointBody = { type: 'none', text: '' };

/** What code may be sent: bytes of a body, MB of the heap in which it is read, `limits.jsonValues`. */
interface EndpointBodyLimits {
  readonly bytes: number;
  readonly heapMb: number;
  readonly jsonValues: number;
}

type Done = (error: Error | null, body?: unknown) => void;

declare module 'fastify' {
  interface FastifyRequest {
    /** The accepted call, on requests for endpoints. */
    endpointCall: EndpointCall;
  }
}

const tooLarge = () => new AppError('PAYLOAD_TOO_LARGE');

/** Registers the one path to which calls of all endpoints are rewritten. */
export function endpointCallRoute(
  server: FastifyInstance,
  { calls, config, isReady }: Deps,
  { endpointOf }: Pick<UrlRewriter, 'endpointOf'>,
): void {
  const { jsonBytes, jsonValues } = config.limits;

  const acceptCall: RequestGuard = (request, reply, done) => {
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

/**
 * Registers the parsers for bodies that posted code may receive: JSON, forms and text. `limitsOf`: what the code of this
 * request may be sent at most.
 */
function acceptEndpointBodies(
  server: FastifyInstance,
  limitsOf: (request: FastifyRequest) => EndpointBodyLimits,
): void {
  const parser =
    (type: EndpointBody['type']) => (request: FastifyRequest, payload: IncomingMessage, done: Done) => {
      const limits = limitsOf(request);
      if (Number(request.headers['content-length']) > limits.bytes) return done(tooLarge());
      readBody(payload, limits.bytes, (error, bytes) => {
        if (error !== null) return done(error);
        const parsing = parseEndpointBody(type, bytes, limits);
        if (parsing instanceof Promise) parsing.then((body) => done(null, body), done);
        else done(null, parsing);
      });
    };
  server.removeContentTypeParser('application/json');
  server.addContentTypeParser('application/json', parser('json'));
  server.addContentTypeParser('application/x-www-form-urlencoded', parser('form'));
  server.addContentTypeParser(/^text\//, parser('text'));
}

/** Reads a body of at most `limit` bytes; more ends the reading. */
function readBody(
  payload: IncomingMessage,
  limit: number,
  done: (error: Error | null, bytes: Buffer) => void,
) {
  const chunks: Buffer[] = [];
  let length = 0;
  const finish = (error: Error | null) => {
    payload.off('data', take).off('end', end).off('error', finish);
    const [only = Buffer.alloc(0)] = chunks;
    done(error, chunks.length > 1 ? Buffer.concat(chunks, length) : only);
  };
  const end = () => finish(null);
  const take = (chunk: Buffer) => {
    length += chunk.length;
    if (length > limit) finish(tooLarge());
    else chunks.push(chunk);
  };
  payload.on('data', take).on('end', end).on('error', finish).resume();
}

/**
 * The text of a body, at once if it is short. Rejects with BAD_REQUEST for what is not UTF-8, and for JSON that is none or nests too
 * deep; PAYLOAD_TOO_LARGE for what would not fit into the heap once it is read, or has more values than `limits.jsonValues`.
 */
export function parseEndpointBody(
  type: EndpointBody['type'],
  bytes: Buffer,
  limits: Omit<EndpointBodyLimits, 'bytes'>,
): MaybePromise<EndpointBody> {
  if (bytes.length === 0) return NO_BODY;
  return attempt(() => {
    const text = decodeUtf8(bytes);
    if (!textFitsHeap(text, bytes.length, limits.heapMb)) throw tooLarge();
    if (type === 'form' && !isShortForm(text)) throw tooLarge();
    const body = { type, text };
    return type === 'json' ? andThen(validateJson(text, bytes, limits), () => body) : body;
  });
}

function validateJson(
  text: string,
  bytes: Buffer,
  { heapMb, jsonValues: maxValues }: Omit<EndpointBodyLimits, 'bytes'>,
): MaybePromise<void> {
  if (anyJsonFitsHeap(text.length, heapMb) && validateShortJson(text, bytes, maxValues)) return;
  const assertShape = (shape: JsonShape) => {
    if (!jsonFitsHeap(text, bytes.length, { heapMb, shape })) throw tooLarge();
  };
  return validateJsonBody(bytes, { maxValues, assertShape });
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
