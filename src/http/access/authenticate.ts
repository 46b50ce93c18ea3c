// Authentication: verifies the token before a body is read. Guards for clients, for admins, and until startup has completed.
import type { FastifyRequest } from 'fastify';
import { missingTokenError, notPermittedError } from '../../auth/auth-errors.ts';
import type { Client } from '../../auth/clients/client.ts';
import { StoreError } from '../../errors/errors.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { requestPath } from '../core/request-url.ts';
import type { OnRequestHook } from '../core/resource.ts';
import { unknownPathError } from './unknown-path.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The client of the token; null when anonymous. */
    client: Client | null;
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
