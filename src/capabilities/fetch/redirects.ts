// Turns a redirect into the next request (RFC 9110, 15.4), which needs a grant like any other.
import type { IncomingMessage } from 'node:http';
import { originOf } from '../../lib/egress/addresses.ts';
import type { OutgoingRequest } from '../../lib/egress/http-request.ts';
import { bodilessHeaders, crossOriginHeaders } from './request-headers.ts';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** The target of a redirect; `null` for a location that is no URL. */
function targetOf(response: IncomingMessage, base: URL): URL | null | undefined {
  const { location } = response.headers;
  if (!REDIRECTS.has(response.statusCode ?? 0) || location === undefined) return undefined;
  // Header values arrive as Latin-1; what servers put there is UTF-8 by now.
  return URL.parse(Buffer.from(location, 'latin1').toString(), base);
}

function becomesGet(status: number | undefined, method: string): boolean {
  if (status === 303) return !READS.has(method);
  return (status === 301 || status === 302) && method === 'POST';
}

/**
 * The request that an answer asks for instead: undefined when it is no redirect, null when its location is no URL.
 * Headers of the guest that may be credentials do not go to another origin.
 */
export function redirectRequest(
  response: IncomingMessage,
  sent: OutgoingRequest,
): OutgoingRequest | null | undefined {
  const url = targetOf(response, sent.url);
  if (!url) return url;
  const isElsewhere = originOf(url) !== originOf(sent.url);
  const headers = isElsewhere ? crossOriginHeaders(sent.headers) : sent.headers;
  if (!becomesGet(response.statusCode, sent.method)) return { ...sent, url, headers };
  return { url, method: 'GET', headers: bodilessHeaders(headers), body: undefined };
}
