// When all database work of a request must have ended.
import type { FastifyRequest } from 'fastify';
import type { HttpDeps } from './http-deps.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What looking up the caller has taken of the time for database work, in milliseconds. */
    lookUpMs: number;
  }
}

/**
 * Makes the function that says, once the body is there, until when the database may work for a request, in epoch
 * milliseconds: `limits.queryMs` from now, less what was spent before.
 */
export function createRequestDeadline({ config, now }: Pick<HttpDeps, 'config' | 'now'>) {
  return ({ lookUpMs }: FastifyRequest): number => now() + config.limits.queryMs - lookUpMs;
}
