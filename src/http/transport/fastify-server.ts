// The Fastify server of both listeners: its limits, the Node server below it, and its first guard and its last step. The first sets the headers
// of all responses and limits connections and the query string. The last keeps or closes the connection and limits what is unsent.
import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import fastify, {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { AppError } from '../../errors/errors.ts';
import { holdToLength } from '../../lib/async/stream-length.ts';
import { MAX_JOINED_LENGTH } from '../../lib/chunked-text.ts';
import { isSafeMethod } from '../../lib/http/methods.ts';
import { bodyLimit } from '../core/body-parsers.ts';
import type { ApplyCors } from '../core/cors.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import type { createErrorHandler } from '../core/reply.ts';
import { loggablePath, rawQuery, requestPath } from '../core/request-url.ts';
import {
  OTHER_METHOD,
  type RequestGuard,
  ROUTED_METHODS,
  replaceMethod,
  restoreMethod,
} from '../core/resource.ts';
import { createClientAddresses } from './client-address.ts';
import type { HttpConnection } from './connection.ts';
import { type ConnectionTracker, createClientErrorHandler } from './connection-tracker.ts';
import { byteLengthOfBody, costOfByte, type ResponseBody, streamBody } from './response-stream.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Address of the client, by `server.trustProxy`, without port and zone. */
    readonly clientAddress: string;
  }
}

const MAX_HEADER_BYTES = 32_768;
const KEEP_ALIVE_MS = 72_000;
const CONNECTION_CHECK_MS = 2000;
const CLOSE_IDLE_INTERVAL_MS = 50;
const NO_QUERY = {};
/** Bytes of an unread request body up to which the connection is kept. */
const MAX_DISCARDED_BYTES = 65_536;
/** Characters up to which a response is always sent, whatever else is unsent. */
const MAX_ALWAYS_SENT = 16_384;
/** Served on connections over the limit too, so that monitoring sees that the server lives, and what it does. */
const MONITORING_PATHS: ReadonlySet<string> = new Set(['/health', '/metrics']);

// An import would load all of `node:http`, its client included: 40 ms of startup.
const { createServer } = process.getBuiltinModule('node:http');

interface NodeServerOptions {
  readonly http: ServerOptions;
  readonly connections: Pick<ConnectionTracker, 'add' | 'get'>;
}

/** Makes a server whose sockets are tracked by `connections` and whose requests go to `handle`, each through its connection. */
export function createNodeServer(handle: RequestListener, { http, connections }: NodeServerOptions): Server {
  const server = createServer(http);
  // A client may close its side after a whole upload and wait for the response: Node would end the connection.
  Object.assign(server, { httpAllowHalfOpen: true });
  const serve = (expectsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    connections.get(request.socket)?.serve({ request, response, expectsContinue });
  };
  server.on('connection', (socket: Socket) => connections.add(socket, handle));
  server.on('request', serve(false));
  server.on('checkContinue', serve(true));
  // Unknown expectations are ignored, as RFC 9110, 10.1.1 permits.
  server.on('checkExpectation', serve(false));
  return server;
}

const missingHost = () => new AppError('BAD_REQUEST', { message: 'The Host header is missing' });

type SetHeaders = (request: FastifyRequest, reply: FastifyReply) => void;

/** Makes the function that sets the headers of all responses. `name` is the name of the server. */
export function createCommonHeaders(name: string): SetHeaders {
  return (request, reply) => {
    reply.header('server', name);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('x-request-id', request.id);
  };
}

/** The headers are there already. Safari waits for a body unless its length is sent. */
const sendPreflight = (reply: FastifyReply) => reply.code(204).header('Content-Length', '0').send();

/** Makes the first guard. */
export function createOnRequest(
  { config, logger }: Pick<HttpDeps, 'config' | 'logger'>,
  connections: Pick<ConnectionTracker, 'get'>,
  { setCommonHeaders, cors }: { readonly setCommonHeaders: SetHeaders; readonly cors: ApplyCors },
): RequestGuard {
  const { queryStringBytes } = config.limits;
  return (request, reply, done) => {
    const { raw, originalUrl: url } = request;
    if (raw.method === OTHER_METHOD) restoreMethod(raw);
    const connection = connections.get(raw.socket);
    connection?.observation?.routeTo(request.routeOptions.url);
    setCommonHeaders(request, reply);
    if (logger.isLevelEnabled('debug')) {
      const fields = { requestId: request.id, method: request.method, path: loggablePath(request) };
      logger.debug({ ...fields, address: request.clientAddress }, 'request');
    }
    if (cors(request, reply)) {
      sendPreflight(reply);
      return;
    }
    const tooLong = url.length > queryStringBytes && (rawQuery(url)?.length ?? 0) > queryStringBytes;
    const isSurplus = connection?.isSurplus === true;
    if (isSurplus && !MONITORING_PATHS.has(requestPath(request))) done(new AppError('SERVER_BUSY'));
    else if (tooLong) done(new AppError('URI_TOO_LONG'));
    else if (raw.headers.host === undefined && raw.httpVersion === '1.1') done(missingHost());
    else done();
  };
}

function isShortBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined || headers.expect !== undefined) return false;
  return Number(headers['content-length'] ?? 0) <= MAX_DISCARDED_BYTES;
}

/** Decides whether the connection is kept after this response. */
function keepOrClose(
  { raw: request }: FastifyRequest,
  reply: FastifyReply,
  connection: HttpConnection | undefined,
): void {
  if (connection === undefined) return;
  if (connection.isSurplus || !(request.complete || isShortBody(request))) {
    reply.header('connection', 'close');
  } else if (reply.hasHeader('connection') && !reply.raw.hasHeader('connection')) {
    // Fastify would close the connection after every body that it rejects.
    reply.removeHeader('connection');
  }
}

type Payload = ResponseBody | Readable | null | undefined;

/** Characters or bytes of a body; a body in pieces counts as endless. */
function sizeOfPayload(payload: Exclude<Payload, Readable>): number {
  if (payload === undefined || payload === null) return 0;
  return typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : Number.POSITIVE_INFINITY;
}

/** What a body counts towards `limits.unsentBytes`: a short one is written at once, and takes no more than its bytes. */
function memoryOf(body: ResponseBody, reply: FastifyReply): number {
  const bytes = byteLengthOfBody(body, reply);
  return sizeOfPayload(body) <= MAX_JOINED_LENGTH ? bytes : bytes * costOfByte(body);
}

/** A stream that has the bytes which the response announces, or fails: what follows on the connection is the next response. */
function heldToAnnounced(stream: Readable, { method }: FastifyRequest, reply: FastifyReply): Readable {
  const length = reply.getHeader('content-length');
  // The response to HEAD announces what it does not send.
  return length === undefined || method === 'HEAD' ? stream : holdToLength(stream, Number(length));
}

/**
 * Makes the last step. Streams pass, held to their length. A long response becomes a stream, any other is written at once; both count as unsent until the
 * client has read them. Over the limit a read is SERVER_BUSY; the response to a write is always sent.
 */
export function createOnSend(connections: Pick<ConnectionTracker, 'get' | 'overloadError'>) {
  type Done = (error: Error | null, payload?: unknown) => void;
  return (request: FastifyRequest, reply: FastifyReply, payload: Payload, done: Done): void => {
    const connection = connections.get(request.raw.socket);
    keepOrClose(request, reply, connection);
    connection?.discardBody(request.raw);
    // Downloads count their buffers themselves.
    if (payload instanceof Readable) {
      done(null, heldToAnnounced(payload, request, reply));
      return;
    }
    const size = sizeOfPayload(payload);
    const mayReject = size > MAX_ALWAYS_SENT && isSafeMethod(request.method) && reply.statusCode < 400;
    const error = mayReject ? connections.overloadError(memoryOf(payload as ResponseBody, reply)) : undefined;
    if (error !== undefined) {
      reply.removeHeader('etag');
      done(error);
    } else if (size <= MAX_JOINED_LENGTH) {
      done(null, payload);
      connection?.reserveUntilClosed(reply.raw);
    } else {
      done(null, streamBody(payload as ResponseBody, reply, connection));
    }
  };
}

/** Closes connections once they are idle: those that were busy when the shutdown began would stay open. */
function closeConnectionsOnceIdle({ server }: FastifyInstance, connections: ConnectionTracker): void {
  const sweep = setInterval(() => {
    server.closeIdleConnections();
    connections.closeFinished();
  }, CLOSE_IDLE_INTERVAL_MS);
  server.once('close', () => clearInterval(sweep));
}

/** No route has a schema, and the packages that compile them would delay the start. */
const noSchemas = () => {
  throw new Error('routes have no schemas');
};

interface FastifyServerOptions {
  readonly connections: ConnectionTracker;
  readonly onError: ReturnType<typeof createErrorHandler>;
  readonly cors: ApplyCors;
  /** The URL to route. */
  readonly rewriteUrl?: (raw: IncomingMessage) => string;
}

/** Makes a server without routes. Every error goes to `onError`. */
export function createFastifyServer(
  deps: Pick<HttpDeps, 'config' | 'logger' | 'generateId'>,
  { connections, onError, cors, rewriteUrl = (raw) => raw.url ?? '/' }: FastifyServerOptions,
): FastifyInstance {
  const { limits, server: settings } = deps.config;
  const addresses = createClientAddresses(settings.trustProxy);
  const setCommonHeaders = createCommonHeaders(settings.name);
  const http: ServerOptions = {
    maxHeaderSize: MAX_HEADER_BYTES,
    // The first guard rejects a missing host instead, in the envelope.
    requireHostHeader: false,
    headersTimeout: limits.headersSeconds * 1000,
    requestTimeout: limits.requestSeconds * 1000,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: CONNECTION_CHECK_MS,
  };
  const options: FastifyHttpOptions<Server> = {
    logger: false,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    genReqId: deps.generateId,
    bodyLimit: bodyLimit('few', limits.jsonBytes),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    serverFactory: (handle) => createNodeServer(handle, { http, connections }),
    routerOptions: {
      ignoreTrailingSlash: true,
      // No segment of a path is longer than all headers, so this limit never applies.
      maxParamLength: MAX_HEADER_BYTES,
      // Routes that take parameters parse them themselves, strictly.
      querystringParser: () => NO_QUERY,
    },
    rewriteUrl: (raw) => {
      if (!ROUTED_METHODS.has(raw.method ?? '')) replaceMethod(raw);
      return rewriteUrl(raw);
    },
    clientErrorHandler: createClientErrorHandler(connections),
    frameworkErrors: (error, request, reply) => {
      const connection = connections.get(request.raw.socket);
      setCommonHeaders(request, reply);
      keepOrClose(request, reply, connection);
      connection?.discardBody(request.raw);
      if (cors(request, reply)) sendPreflight(reply);
      else onError(error, request, reply);
    },
  };
  const server = fastify(options);
  server.decorateRequest('client', null);
  server.decorateRequest('caller');
  server.decorateRequest('clientAddress', {
    getter(this: FastifyRequest) {
      return addresses.of(this.raw);
    },
  });
  server.decorateRequest('tokenMs', 0);
  server.server.on('connection', addresses.remember);
  server.setErrorHandler(onError);
  server.addHook('onRequest', createOnRequest(deps, connections, { setCommonHeaders, cors }));
  server.addHook('onSend', createOnSend(connections));
  server.addHook('preClose', async () => {
    if (server.server.listening) closeConnectionsOnceIdle(server, connections);
  });
  return server;
}
