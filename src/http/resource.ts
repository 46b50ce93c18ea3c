// One address and everything that can be asked of it: what it does not take is 405 with `Allow`.
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { AppError } from '../errors.ts';
import type { Hook } from './authenticate.ts';
import { refusePreconditions } from './preconditions.ts';
import { requireQuery } from './query-string.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
const METHODS_IN_ORDER: readonly Method[] = ['GET', 'POST', 'PUT', 'DELETE'];
type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;
export type Handlers = Readonly<Partial<Record<Method, Handler>>>;

// An import would load all that `node:http` can hand out, a client included: 40 ms of the start.
const { METHODS } = process.getBuiltinModule('node:http');
/** CONNECT never arrives as a request. */
const ALL = METHODS.filter((method) => method !== 'CONNECT');

/** Tells the framework of every method that Node can parse, so that each can be refused in our words. */
export function knowAllMethods(server: FastifyInstance): void {
  for (const method of ALL) {
    if (!server.supportedMethods.includes(method)) server.addHttpMethod(method);
  }
}

/** The error for a method that an address does not take. */
export function methodNotAllowed(allow: string): AppError {
  return new AppError('METHOD_NOT_ALLOWED', { headers: { Allow: allow } });
}

/** Value of the `Allow` header; HEAD comes with GET, OPTIONS always. */
function allowOf(methods: readonly string[]): string {
  return [...methods.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])), 'OPTIONS'].join(', ');
}

const refuseConditions = async (request: FastifyRequest) => refusePreconditions(request);

/** Registers an address whose own hooks decide which methods it takes. */
export function anyMethod(server: FastifyInstance, url: string, handler: Handler): void {
  server.route({ method: [...ALL], url, handler: handler as RouteHandlerMethod });
}

interface ResourceOptions {
  /** Bytes, that of the server unless given. */
  readonly bodyLimit?: number;
  /** The handlers see to `If-Match` and `If-None-Match` themselves; otherwise writes with them are refused. */
  readonly conditional?: boolean;
}

/** Registers handlers of an address whose other methods `resource` registers in another scope. */
export function serve(
  server: FastifyInstance,
  url: string,
  handlers: Handlers,
  { bodyLimit, conditional = false }: ResourceOptions = {},
): void {
  for (const [method, handler] of Object.entries(handlers)) {
    const limit = bodyLimit === undefined ? {} : { bodyLimit };
    const onRequest = requireQuery;
    const preHandler = method === 'GET' || conditional ? {} : { preHandler: refuseConditions };
    server.route({ method, url, onRequest, handler: handler as RouteHandlerMethod, ...limit, ...preHandler });
  }
}

/**
 * Registers an address with its handlers. Hooks of the scope run first for every method, allowed or not; then a query
 * string that cannot be read is refused. `elsewhere`: methods that the address takes too, registered by `serve`.
 */
export function resource(
  server: FastifyInstance,
  url: string,
  handlers: Handlers,
  { elsewhere = [], ...options }: ResourceOptions & { readonly elsewhere?: readonly Method[] } = {},
): void {
  const taken = METHODS_IN_ORDER.filter((method) => method in handlers || elsewhere.includes(method));
  const allow = allowOf(taken);
  serve(server, url, handlers, options);
  const answerOptions: Handler = (_request, reply) => reply.code(204).header('Allow', allow).send();
  server.route({ method: 'OPTIONS', url, handler: answerOptions as RouteHandlerMethod });
  const refuse: Hook = (_request, _reply, done) => done(methodNotAllowed(allow));
  const others = ALL.filter((method) => !allow.split(', ').includes(method));
  server.route({ method: others, url, onRequest: refuse, handler: async () => undefined });
}
