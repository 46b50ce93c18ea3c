// What the handlers of documents share: who asks until when, and the text of a page.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createCaller } from '../auth/access.ts';
import type { Context, Origin, Page } from '../collections/documents.ts';
import { LONG_TEXT, type Text } from '../lib/text-pieces.ts';
import { createDeadline } from './deadline.ts';
import type { HttpDeps } from './deps.ts';
import { withoutTokens } from './media/url-token.ts';

export type Handle = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Documents, which are text already, between what stands around them; in pieces when they are long together. */
export function documentsText(results: readonly string[], rest = ''): Text {
  const length = results.reduce((sum, { length }) => sum + length + 1, 0);
  if (length <= LONG_TEXT) return `{"results":[${results.join(',')}]${rest}}`;
  const pieces = ['{"results":['];
  for (const [index, text] of results.entries()) {
    if (index > 0) pieces.push(',');
    pieces.push(text);
  }
  pieces.push(`]${rest}}`);
  return pieces;
}

/** A page as JSON text. */
export function pageText({ results, metadata }: Page): Text {
  return documentsText(results, `,"metadata":${JSON.stringify(metadata)}`);
}

function originOf({ id, client, method, originalUrl, headers, ip }: FastifyRequest): Origin {
  // The token of a signed upload is still good while hooks run.
  const url = withoutTokens(originalUrl);
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
