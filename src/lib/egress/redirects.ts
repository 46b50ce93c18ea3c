// Follows the redirects of an answer: one rule of what is a redirect, where it leads and how many there may be, for everything
// that goes to other servers.
import type { IncomingMessage } from 'node:http';
import { originOf } from './addresses.ts';
import { FetchRefusedError } from './fetch-errors.ts';
import type { OutgoingRequest } from './http-request.ts';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MAX_REDIRECTS = 3;

/**
 * Where an answer sends on to; undefined for what is no redirect: one that says no location is an answer like any other, which
 * its reader judges. Throws FetchRefusedError for a location that is no URL.
 */
function redirectTarget(
  { statusCode = 0, headers: { location } }: IncomingMessage,
  from: URL,
): URL | undefined {
  if (!REDIRECTS.has(statusCode) || location === undefined) return undefined;
  // Header values arrive as Latin-1; what servers put there is UTF-8 by now.
  const url = URL.parse(Buffer.from(location, 'latin1').toString(), from);
  if (url === null) throw new FetchRefusedError('redirects', originOf(from));
  return url;
}

interface RedirectRules {
  /** Sends one request. Every one comes through here, and is refused here where it may not be sent. */
  readonly send: (outgoing: OutgoingRequest) => Promise<IncomingMessage>;
  /** The request that replaces `sent`. */
  readonly redirect: (sent: OutgoingRequest, url: URL, status: number | undefined) => OutgoingRequest;
}

/**
 * Sends a request and those that redirects turn it into, three at most. Resolves with the answer that is none, whose body is
 * still to be read or destroyed, and the request that it answers. Rejects with FetchRefusedError and as `send` does.
 */
export async function followRedirects(
  first: OutgoingRequest,
  { send, redirect }: RedirectRules,
): Promise<{ readonly outgoing: OutgoingRequest; readonly response: IncomingMessage }> {
  let outgoing = first;
  for (let redirects = 0; ; redirects += 1) {
    const response = await send(outgoing);
    try {
      const url = redirectTarget(response, outgoing.url);
      if (url === undefined) return { outgoing, response };
      if (redirects === MAX_REDIRECTS) throw new FetchRefusedError('redirects', originOf(outgoing.url));
      outgoing = redirect(outgoing, url, response.statusCode);
    } catch (error) {
      response.destroy();
      throw error;
    }
    response.destroy();
  }
}
