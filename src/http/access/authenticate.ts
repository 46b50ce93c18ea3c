// Who makes a request: verifies the token before a body is read; guards for clients, for admins, and until startup has completed;
// the error for a path that nothing serves; and what the domain is told of the caller and the request.

import type { FastifyRequest } from 'fastify';
import { missingTokenError, notPermittedError } from '../../auth/auth-errors.ts';
import { createCaller } from '../../auth/authorize.ts';
import type { Client } from '../../auth/clients/client.ts';
import type { RequestContext, RequestOrigin } from '../../collections/model/documents.ts';
import { AppError, StoreError } from '../../errors/errors.ts';
import { apiVersionIssue } from '../../modules/model/module-types.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { redactTokens, requestPath } from '../core/request-url.ts';
import type { OnRequestHook } from '../core/resource.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The client of the token; null when anonymous. */
    client: Client | null;
    /** Milliseconds that verifying the token has taken of `limits.queryMs`. */
    lookUpMs: number;
  }
}

type Deps = Pick<HttpDeps, 'tokens' | 'isReady' | 'now'>;
type Done = (error?: Error) => void;

const SCHEME = 'bearer ';

/**
 * Parses an `Authorization` header: exactly two parts with one space between, the scheme in any case.
 * Undefined if the header is absent or has another form: the request is anonymous then.
 */
export function parseBearerToken(header: string | undefined): string | undefined {
  if (header === undefined || header.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined;
  const token = header.slice(SCHEME.length);
  return token.includes(' ') ? undefined : token;
}

/** Makes the hook that sets `request.client`. A bad token ends the request, none leaves it anonymous; then unknown paths end. */
export function createAuthenticate({ tokens, isReady, now }: Deps): OnRequestHook {
  const enter = (request: FastifyRequest, client: Client | null, done: Done) => {
    request.client = client;
    if (!request.is404) done();
    else done(unknownPathError(request, isReady));
  };
  return (request, _reply, done) => {
    const token = parseBearerToken(request.headers.authorization);
    if (token === undefined) return enter(request, null, done);
    const known = tokens.peek(token);
    if (known !== undefined) return enter(request, known, done);
    const began = now();
    tokens.verify(token).then((client) => {
      request.lookUpMs = Math.max(0, now() - began);
      enter(request, client, done);
    }, done);
  };
}

/** Hook: rejects the anonymous. */
export const requireClient: OnRequestHook = (request, _reply, done) => {
  done(request.client === null ? missingTokenError() : undefined);
};

/** Hook: rejects everybody but admins. */
export const requireAdmin: OnRequestHook = (request, _reply, done) => {
  if (request.client === null) done(missingTokenError());
  else done(request.client.accessType === 'admin' ? undefined : notPermittedError(requestPath(request)));
};

/** Throws an `unavailable` StoreError until startup has completed. */
export function assertReady(isReady: HttpDeps['isReady']): void {
  if (!isReady()) throw new StoreError('unavailable');
}

const ENDPOINT_PATH = /^\/(?<version>[^/]+)\/[^/]/;

/** True when a path may be that of an endpoint: endpoints are known once startup has read them from the database. */
function mayBeEndpointPath(path: string): boolean {
  const version = ENDPOINT_PATH.exec(path)?.groups?.['version'];
  return version !== undefined && apiVersionIssue(version) === undefined;
}

/**
 * The error for a path that nothing serves: 401 for the anonymous, so that nobody can probe which paths exist, 404 for others.
 * `isReady`: until startup has completed, a path that may be an endpoint's is 503.
 */
export function unknownPathError(
  request: Pick<FastifyRequest, 'client' | 'originalUrl'>,
  isReady: () => boolean = () => true,
): AppError | StoreError {
  if (!isReady() && mayBeEndpointPath(requestPath(request))) return new StoreError('unavailable');
  return request.client === null ? missingTokenError() : new AppError('NOT_FOUND');
}

/**
 * Makes the function that gives the deadline of a request's database work, in epoch milliseconds: `limits.queryMs` from now,
 * less what verifying the token took.
 */
export function createRequestDeadline({ config, now }: Pick<HttpDeps, 'config' | 'now'>) {
  return ({ lookUpMs }: FastifyRequest): number => now() + config.limits.queryMs - lookUpMs;
}

function createOrigin({ id, client, method, originalUrl, headers, ip }: FastifyRequest): RequestOrigin {
  // The token of a signed upload is still good while hooks run.
  const url = redactTokens(originalUrl);
  return { requestId: id, client, http: { method, url, headers, ip } };
}

/** Makes the function that gives the domain's context of a request. */
export function createContextFactory({ config, now }: Pick<HttpDeps, 'config' | 'now'>) {
  const deadline = createRequestDeadline({ config, now });
  return (request: FastifyRequest): RequestContext => ({
    caller: createCaller(request.client),
    deadline: deadline(request),
    origin: createOrigin(request),
  });
}
