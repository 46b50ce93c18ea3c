// What the handlers of documents share: who asks until when, and the text of a page.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createCaller } from '../auth/access.ts';
import type { Context, Origin, Page } from '../collections/documents.ts';
import { createDeadline } from './deadline.ts';
import type { HttpDeps } from './deps.ts';

export type Handle = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** A page as JSON text: its documents are text already. */
export function pageText({ results, metadata }: Page): string {
  return `{"results":[${results.join(',')}],"metadata":${JSON.stringify(metadata)}}`;
}

function originOf({ id, client, method, originalUrl: url, headers, ip }: FastifyRequest): Origin {
  return { requestId: id, client, http: { method, url, headers, ip } };
}

/** Makes the function that tells the domain who asks, and when all database work must have ended. */
export function createContext({ config, now }: Pick<HttpDeps, 'config' | 'now'>) {
  const deadline = createDeadline({ config, now });
  return (request: FastifyRequest): Context => ({
    caller: createCaller(request.client),
    deadline: deadline(request),
    // Only hooks ask for it, and few collections have any.
    get origin() {
      return originOf(request);
    },
  });
}
