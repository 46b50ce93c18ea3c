// Registers a path with its handlers. Other methods are 405 with `Allow`; OPTIONS is 204 with `Allow`.
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { AppError } from '../../errors/errors.ts';
import { HTTP_METHODS, type HttpMethod, methodTraits } from '../../lib/http/methods.ts';
import type { RouteDescription } from './operation.ts';
import { rejectPreconditions } from './preconditions.ts';
import { parseQuery } from './request-url.ts';

/** What runs before the handler of a route, and may reject the request: `onRequest` of Fastify. */
export type RequestGuard = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error?: Error) => void,
) => void;
declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the API description says of the route. */
    operation?: RouteDescription;
  }
}

export type RouteHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Methods that have handlers: that of GET answers HEAD too, and OPTIONS is answered here. */
type Method = Exclude<HttpMethod, 'HEAD' | 'PATCH' | 'OPTIONS'>;
type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;
export type ResourceHandlers = Readonly<Partial<Record<Method, Handler>>>;
/** What each handler of a path does, as the API description says it. */
type Operations = Readonly<Partial<Record<Method, RouteDescription>>>;

/**
 * Stands for all methods that only code of endpoints may support, if anything. The router holds a path once for each method:
 * all 34 would delay every start.
 */
export const OTHER_METHOD = 'TRACE';
/** The methods that the router knows. */
export const ROUTED_METHODS: ReadonlySet<string> = new Set([
  ...HTTP_METHODS.filter((method) => methodTraits(method)?.isRouted),
  OTHER_METHOD,
]);

const SENT_METHOD = Symbol('sent method');

interface RoutedRequest extends IncomingMessage {
  [SENT_METHOD]?: string | undefined;
}

/** Before routing: leads a request whose method is not in `ROUTED_METHODS` to the routes of `OTHER_METHOD`. */
export function replaceMethod(raw: RoutedRequest): void {
  raw[SENT_METHOD] = raw.method;
  raw.method = OTHER_METHOD;
}

/** After routing: gives a request of `OTHER_METHOD` its own method back. */
export function restoreMethod(raw: RoutedRequest): void {
  if (raw[SENT_METHOD] !== undefined) raw.method = raw[SENT_METHOD];
}

/** The error for a method that a path does not support. */
export function methodNotAllowed(allow: string): AppError {
  return new AppError('METHOD_NOT_ALLOWED', { headers: { Allow: allow } });
}

const rejectConditions = async (request: FastifyRequest) => rejectPreconditions(request);

/** Makes the guard that rejects a query string which does not decode, also where no parameter has a meaning. */
function createQueryGuard(parse: (url: string) => unknown): RequestGuard {
  return (request, _reply, done) => {
    try {
      parse(request.originalUrl);
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error('unknown'));
    }
  };
}

/** Registers a path whose own guards decide which methods it supports. */
export function addAnyMethodRoute(server: FastifyInstance, url: string, handler: Handler): void {
  server.route({ method: [...ROUTED_METHODS], url, handler: handler as RouteHandlerMethod });
}

interface ResourceOptions {
  /** One for each handler: a route without one cannot be registered. */
  readonly operations: Operations;
  /** Bytes; that of the server by default. */
  readonly bodyLimit?: number;
  /** The handlers evaluate `If-Match` and `If-None-Match`; without it writes with them are rejected. */
  readonly handlesPreconditions?: boolean;
  /** Parses query strings; `parseQuery` by default. */
  readonly parse?: (url: string) => unknown;
  /** The handler of GET parses the query string, and so rejects one that does not decode: no guard does it before. */
  readonly handlerParsesGetQuery?: boolean;
}

/** Registers the routes of some methods of a path whose other methods `addResource` registers in another scope. */
export function addMethodRoutes(
  server: FastifyInstance,
  url: string,
  handlers: ResourceHandlers,
  options: ResourceOptions,
): void {
  const {
    bodyLimit,
    handlesPreconditions = false,
    parse = parseQuery,
    handlerParsesGetQuery = false,
  } = options;
  const operations: Readonly<Record<string, RouteDescription | undefined>> = options.operations;
  const limit = bodyLimit === undefined ? {} : { bodyLimit };
  const onRequest = createQueryGuard(parse);
  for (const [method, handler] of Object.entries(handlers)) {
    const guards = {
      ...(method === 'GET' && handlerParsesGetQuery ? {} : { onRequest }),
      ...(method === 'GET' || handlesPreconditions ? {} : { preHandler: rejectConditions }),
    };
    const operation = operations[method];
    if (operation === undefined) throw new Error(`${method} ${url} is not described`);
    const config = { operation };
    server.route({ method, url, handler: handler as RouteHandlerMethod, config, ...limit, ...guards });
  }
}

/**
 * Registers a path with its handlers. Guards of the scope run first for every method, supported or not; then a query string that
 * does not decode is rejected. `elsewhere`: further methods of the path, registered by `addMethodRoutes`.
 */
export function addResource(
  server: FastifyInstance,
  url: string,
  handlers: ResourceHandlers,
  { elsewhere = [], ...options }: ResourceOptions & { readonly elsewhere?: readonly Method[] },
): void {
  const withHandler = HTTP_METHODS.filter(
    (method) => method in handlers || elsewhere.some((other) => other === method),
  );
  const supported: readonly string[] = withHandler.flatMap((name) =>
    name === 'GET' ? ['GET', 'HEAD'] : name,
  );
  const allow = [...supported, 'OPTIONS'].join(', ');
  addMethodRoutes(server, url, handlers, options);
  // One route for all other methods: Fastify sets each route up at every start.
  const onRequest: RequestGuard = ({ method }, _reply, done) => {
    done(method === 'OPTIONS' ? undefined : methodNotAllowed(allow));
  };
  const answerOptions: Handler = (_request, reply) => reply.code(204).header('Allow', allow).send();
  const others = [...ROUTED_METHODS].filter((method) => !supported.includes(method));
  server.route({ method: others, url, onRequest, handler: answerOptions as RouteHandlerMethod });
}
