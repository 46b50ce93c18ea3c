// What the domain is told of a request: the caller, who acts for the audit log, the deadline, and the request as hooks see it.

import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../auth/audit/actor.ts';
import { missingTokenError } from '../../auth/auth-errors.ts';
import type { RequestContext, RequestOrigin } from '../../collections/model/documents.ts';
import type { HttpDeps } from './http-deps.ts';
import { redactTokens } from './request-url.ts';

/**
 * Makes the function that gives the deadline of a request's database work, in epoch milliseconds: `limits.queryMs` from now,
 * less what verifying the token took.
 */
export function createRequestDeadline({ config, now }: Pick<HttpDeps, 'config' | 'now'>) {
  return ({ tokenMs }: FastifyRequest): number => now() + config.limits.queryMs - tokenMs;
}

/** Who makes the change that a request asks for. Throws NO_TOKEN for the anonymous. */
export function actorOf({ client, clientAddress: address, id: requestId }: FastifyRequest): Actor {
  if (client === null) throw missingTokenError();
  return { clientId: client.clientId, address, requestId };
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
    caller: request.caller,
    deadline: deadline(request),
    origin: createOrigin(request),
  });
}
