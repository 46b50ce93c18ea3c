// What the handlers of documents share: who asks until when, and the text of a page.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createCaller } from '../../auth/authorize.ts';
import type { Page, RequestContext, RequestOrigin } from '../../collections/model/documents.ts';
import { type ChunkedText, MAX_JOINED_LENGTH } from '../../lib/chunked-text.ts';
import { createRequestDeadline } from './deadline.ts';
import type { HttpDeps } from './http-deps.ts';
import { redactTokens } from './paths.ts';

export type RouteHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Documents, which are text already, between what stands around them; in pieces when they are long together. */
export function formatResults(results: readonly string[], rest = ''): ChunkedText {
  const length = results.reduce((sum, { length }) => sum + length + 1, 0);
  if (length <= MAX_JOINED_LENGTH) return `{"results":[${results.join(',')}]${rest}}`;
  const pieces = ['{"results":['];
  for (const [index, text] of results.entries()) {
    if (index > 0) pieces.push(',');
    pieces.push(text);
  }
  pieces.push(`]${rest}}`);
  return pieces;
}

/** A page as JSON text. */
export function formatPage({ results, metadata }: Page): ChunkedText {
  return formatResults(results, `,"metadata":${JSON.stringify(metadata)}`);
}

function createOrigin({ id, client, method, originalUrl, headers, ip }: FastifyRequest): RequestOrigin {
  // The token of a signed upload is still good while hooks run.
  const url = redactTokens(originalUrl);
  return { requestId: id, client, http: { method, url, headers, ip } };
}

/** Makes the function that tells the domain who asks, and when all database work must have ended. */
export function createContextFactory({ config, now }: Pick<HttpDeps, 'config' | 'now'>) {
  const deadline = createRequestDeadline({ config, now });
  return (request: FastifyRequest): RequestContext => ({
    caller: createCaller(request.client),
    deadline: deadline(request),
    // Only hooks ask for it, and few collections have any.
    get origin() {
      return createOrigin(request);
    },
  });
}
