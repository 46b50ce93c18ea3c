// The URL of a request: its path, without the tokens of signed uploads where logs and posted code see it, and its query string,
// decoded strictly.

import type { FastifyRequest } from 'fastify';
import {
  type ComposeDepth,
  createParameterError,
  parseComposeDepth,
  READ_PARAMETERS,
  type ReadQueryParameter,
} from '../../collections/model/read-parameters.ts';
import { AppError } from '../../errors/errors.ts';

export type QueryParameter = ReadQueryParameter | 'cache' | 'callback';
export type Query = ReadonlyMap<QueryParameter, string>;

const EMPTY: Query = new Map();
/** The parameters of reads of documents. */
export const KNOWN_PARAMETERS: ReadonlySet<string> = new Set<QueryParameter>([
  ...READ_PARAMETERS.map(({ query }) => query),
  'cache',
  'callback',
]);

export const isKnownParameter = (name: string): name is QueryParameter => KNOWN_PARAMETERS.has(name);

/** The text after `?`, undefined when there is none. */
export function rawQuery(url: string): string | undefined {
  const end = url.indexOf('#');
  const whole = end === -1 ? url : url.slice(0, end);
  const start = whole.indexOf('?');
  return start === -1 ? undefined : whole.slice(start + 1);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.includes('+') ? text.replaceAll('+', ' ') : text);
  } catch {
    throw new AppError('BAD_REQUEST', { message: 'The query string is not valid percent-encoded UTF-8' });
  }
}

/** Names and values, decoded strictly: the text of every pair must decode, whatever its name. */
export function* parsePairs(text: string): Generator<readonly [name: string, value: string]> {
  for (const pair of text.split('&')) {
    const split = pair.indexOf('=');
    const name = decode(split === -1 ? pair : pair.slice(0, split));
    yield [name, split === -1 ? '' : decode(pair.slice(split + 1))];
  }
}

const givenTwice = (name: string) => `The \`${name}\` parameter is given more than once`;

/**
 * The known parameters of a URL. Unknown ones are ignored; a known one that is given twice, or text that
 * does not decode, is a 400.
 */
export function parseQuery(url: string): Query {
  const text = rawQuery(url);
  if (text === undefined || text === '') return EMPTY;
  const query = new Map<QueryParameter, string>();
  for (const [name, value] of parsePairs(text)) {
    if (!isKnownParameter(name)) continue;
    if (query.has(name)) throw createParameterError(name, givenTwice(name));
    query.set(name, value);
  }
  return query;
}

/** True for a switch that is on: only the text `true` is. Undefined when the parameter was not sent. */
export function parseFlag(query: Query, name: QueryParameter): boolean | undefined {
  const value = query.get(name);
  return value === undefined ? undefined : value === 'true';
}

/** True where a URL gives `true` under a name that is no read parameter. Throws PARAMETER_INVALID where the name is there twice. */
export function hasSwitch(url: string, name: string): boolean {
  const found = [...parsePairs(rawQuery(url) ?? '')].filter(([key]) => key === name);
  if (found.length > 1) throw createParameterError(name, givenTwice(name));
  return found.some(([, value]) => value === 'true');
}

/** How deep to compose, undefined when the parameter was not sent. */
export function parseCompose(query: Query): ComposeDepth | undefined {
  const value = query.get('compose');
  return value === undefined ? undefined : parseComposeDepth(value);
}

/**
 * A whole number that a URL gives under a name, `fallback` when it gives none. Throws PARAMETER_INVALID for anything else,
 * `what` being the words for what it must be.
 */
export function parseNumberParameter(
  url: string,
  name: string,
  { fallback, what }: { readonly fallback: number; readonly what: string },
): number {
  const pairs = [...parsePairs(rawQuery(url) ?? '')];
  const [text, ...more] = pairs.filter(([key]) => key === name).map(([, value]) => value);
  if (text === undefined) return fallback;
  if (/^\d{1,15}$/.test(text) && more.length === 0) return Number(text);
  throw createParameterError(name, `The \`${name}\` parameter must be ${what}`);
}

/** The text that a URL gives under a name that is no read parameter. Throws PARAMETER_INVALID where the name is there twice. */
export function parseTextParameter(url: string, name: string): string | undefined {
  const found = [...parsePairs(rawQuery(url) ?? '')].filter(([key]) => key === name);
  if (found.length > 1) throw createParameterError(name, givenTwice(name));
  return found[0]?.[1];
}

const ORIGIN = /^https?:\/\/[^/?#]*/i;

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
  const path = beforeQuery(url);
  const redacted = path.split('/').map((part) => (isTokenShaped(part) ? '<token>' : part));
  return redacted.join('/') + url.slice(path.length);
}

// Two searches for a character are cheaper than one for a pattern, and every request has its URL read so.
function beforeQuery(url: string): string {
  const fragment = url.indexOf('#');
  const whole = fragment === -1 ? url : url.slice(0, fragment);
  const query = whole.indexOf('?');
  return query === -1 ? whole : whole.slice(0, query);
}

/** A request target without scheme and host, which a client may send (RFC 9112, 3.2.2). */
export function originForm(url: string): string {
  if (url.startsWith('/')) return url;
  const path = url.replace(ORIGIN, '');
  return path.startsWith('?') || path === '' ? `/${path}` : path;
}

/** The path of a URL, without query and fragment, also where the URL has scheme and host. */
export function urlPath(url: string): string {
  return beforeQuery(originForm(url));
}

/** The path of a request as the client wrote it, without its query. */
export function requestPath(request: Pick<FastifyRequest, 'originalUrl'>): string {
  return beforeQuery(request.originalUrl);
}

/** The path of a request for logs: without the tokens of signed uploads. */
export const loggablePath = (request: Pick<FastifyRequest, 'originalUrl'>): string =>
  redactTokens(requestPath(request));
