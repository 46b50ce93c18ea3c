// What the domain is told of a request: the caller, who acts for the audit log, the deadline, and the request as hooks see it.

import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../auth/audit/actor.ts';
import { missingTokenError } from '../../auth/auth-errors.ts';
import {
  maxHookBodyCharacters,
  type RequestContext,
  type RequestOrigin,
} from '../../collections/model/documents.ts';
import type { Json } from '../../lib/json/json.ts';
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

/** Whether a value is longer as JSON than so many characters. It looks at no more values than that. */
function isLonger(value: Json, characters: number): boolean {
  let left = characters;
  const queue: Json[] = [value];
  for (let next = queue.pop(); next !== undefined && left >= 0; next = queue.pop()) {
    left -= typeof next === 'string' ? next.length + 1 : 1;
    if (typeof next !== 'object' || next === null) continue;
    const names = Array.isArray(next) ? [] : Object.keys(next);
    for (const name of names) left -= name.length;
    const values = Array.isArray(next) ? next : Object.values(next);
    if (values.length > left) return true;
    queue.push(...values);
  }
  return left < 0;
}

/** JSON text of a body as hooks see it, `{}` for none; undefined for one that is too long for them. */
export function hookBodyText(body: Json): string | undefined {
  const max = maxHookBodyCharacters(Array.isArray(body));
  if (isLonger(body, max)) return undefined;
  const text = JSON.stringify(body ?? {});
  return text.length <= max ? text : undefined;
}

function createOrigin(request: FastifyRequest, body: string | undefined): RequestOrigin {
  const { id, client, method, originalUrl, headers, clientAddress: ip } = request;
  // The token of a signed upload is still good while hooks run.
  const url = redactTokens(originalUrl);
  const params = request.params as Readonly<Record<string, string>>;
  const http = { method, url, headers, ip, client, params };
  return {
    requestId: id,
    client,
    http: body === undefined ? http : { ...http, body },
  };
}

/** Makes the function that gives the domain's context of a request. `body`: JSON text of the body, for hooks. */
export function createContextFactory({ config, now }: Pick<HttpDeps, 'config' | 'now'>) {
  const deadline = createRequestDeadline({ config, now });
  return (request: FastifyRequest, body?: string): RequestContext => ({
    caller: request.caller,
    deadline: deadline(request),
    origin: createOrigin(request, body),
  });
}
