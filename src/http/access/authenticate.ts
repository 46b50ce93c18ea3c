// Who calls, found out before a body is read; and the guard of what only admins may do.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { missingTokenError, notPermittedError, parseBearerToken } from '../../auth/auth-errors.ts';
import type { Client } from '../../auth/clients/client.ts';
import { AppError, StoreError } from '../../errors.ts';
import { requestPath } from '../core/error-handler.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { mayBeEndpointPath } from './readiness.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; null when anonymous. */
    client: Client | null;
  }
}

type Deps = Pick<HttpDeps, 'tokens' | 'isReady' | 'now'>;
type Done = (error?: Error) => void;
export type OnRequestHook = (request: FastifyRequest, reply: FastifyReply, done: Done) => void;

/**
 * Makes the hook that sets `request.client`. A bad token ends the request; none leaves it anonymous.
 * An address that does not exist is 401 for the anonymous, so that nobody can probe, and 404 for others; 503 where it is
 * not known yet whether it exists.
 */
export function createAuthenticate({ tokens, isReady, now }: Deps): OnRequestHook {
  const enter = (request: FastifyRequest, client: Client | null, done: Done) => {
    request.client = client;
    if (!request.is404) done();
    else if (!isReady() && mayBeEndpointPath(requestPath(request))) done(new StoreError('unavailable'));
    else done(client === null ? missingTokenError() : new AppError('NOT_FOUND'));
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

/** Hook: a token is needed. */
export const requireClient: OnRequestHook = (request, _reply, done) => {
  done(request.client === null ? missingTokenError() : undefined);
};

/** Hook: an admin's token is needed. */
export const requireAdmin: OnRequestHook = (request, _reply, done) => {
  if (request.client === null) done(missingTokenError());
  else done(request.client.accessType === 'admin' ? undefined : notPermittedError(requestPath(request)));
};
