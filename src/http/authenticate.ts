// Who calls, found out before a body is read; and the guard of what only admins may do.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearerToken, noToken, notPermitted } from '../auth/challenge.ts';
import type { Client } from '../auth/client.ts';
import { AppError, StoreError } from '../errors.ts';
import type { HttpDeps } from './deps.ts';
import { pathOf } from './error-handler.ts';
import { mayBeCode } from './readiness.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; null when anonymous. */
    client: Client | null;
  }
}

type Deps = Pick<HttpDeps, 'tokens' | 'isReady' | 'now'>;
type Done = (error?: Error) => void;
export type Hook = (request: FastifyRequest, reply: FastifyReply, done: Done) => void;

/**
 * Makes the hook that sets `request.client`. A bad token ends the request; none leaves it anonymous.
 * An address that does not exist is 401 for the anonymous, so that nobody can probe, and 404 for others; 503 where it is
 * not known yet whether it exists.
 */
export function createAuthenticate({ tokens, isReady, now }: Deps): Hook {
  const enter = (request: FastifyRequest, client: Client | null, done: Done) => {
    request.client = client;
    if (!request.is404) done();
    else if (!isReady() && mayBeCode(pathOf(request))) done(new StoreError('unavailable'));
    else done(client === null ? noToken() : new AppError('NOT_FOUND'));
  };
  return (request, _reply, done) => {
    const token = bearerToken(request.headers.authorization);
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
export const requireClient: Hook = (request, _reply, done) => {
  done(request.client === null ? noToken() : undefined);
};

/** Hook: an admin's token is needed. */
export const requireAdmin: Hook = (request, _reply, done) => {
  if (request.client === null) done(noToken());
  else done(request.client.accessType === 'admin' ? undefined : notPermitted(pathOf(request)));
};
