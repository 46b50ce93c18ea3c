// Paths of requests: as the client wrote them, and as logs and posted code may see them, without upload tokens.
import type { FastifyRequest } from 'fastify';

const URL_END = /[?#]/;
const SCHEME_AND_HOST = /^https?:\/\/[^/]*/i;

/** Every upload token is longer, and no stored file has so long a name. */
const MIN_TOKEN_LENGTH = 250;
const DOT = /\.|%2e/gi;

/** Two dots, percent-encoded or not, part a token into three. */
export function hasTwoDots(part: string): boolean {
  return (part.match(DOT)?.length ?? 0) >= 2;
}

/** Has this part of a path the form of a token that a server signed? */
export function isTokenShaped(part: string): boolean {
  return part.length >= MIN_TOKEN_LENGTH && hasTwoDots(part);
}

/** A path or URL as logs and posted code may see it: tokens in the path are replaced, the query stays as it is. */
export function redactTokens(url: string): string {
  if (url.length < MIN_TOKEN_LENGTH) return url;
  const end = url.search(URL_END);
  const path = end === -1 ? url : url.slice(0, end);
  const redacted = path.split('/').map((part) => (isTokenShaped(part) ? '<token>' : part));
  return redacted.join('/') + url.slice(path.length);
}

/** The path of a URL, without query and fragment, also where the URL has scheme and host. */
export function urlPath(url: string): string {
  const path = url.startsWith('/') ? url : url.replace(SCHEME_AND_HOST, '');
  const end = path.search(URL_END);
  return end === -1 ? path : path.slice(0, end);
}

/** The path of a request as the client wrote it, without its query. */
export function requestPath(request: Pick<FastifyRequest, 'originalUrl'>): string {
  return request.originalUrl.split(URL_END, 1)[0] ?? '';
}

/** The path of a request for logs: without the tokens of signed uploads. */
export const loggablePath = (request: Pick<FastifyRequest, 'originalUrl'>): string =>
  redactTokens(requestPath(request));
