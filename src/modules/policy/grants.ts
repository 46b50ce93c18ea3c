// What the grants of a policy cover: headers between clients and posted code, and requests of `fetch`. Which entries are valid, which
// are privileged, and what no entry can grant.

import { originOf } from '../../lib/egress/addresses.ts';
import type { FetchGrant } from '../../sandbox-supervisor/model/module-version.ts';

/** They say where a message ends: whoever writes them can smuggle a second one. */
const FRAMING: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const CREDENTIALS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'x-access-token',
  'x-api-key',
  'x-auth-token',
]);

/** A header of a request with one of these words in its name is likely a credential. */
const CREDENTIAL_WORDS: ReadonlySet<string> = new Set([
  ...['apikey', 'assertion', 'auth', 'authenticate', 'authentication', 'authorization', 'bearer', 'cert'],
  ...[
    'certificate',
    'cookie',
    'cookies',
    'credential',
    'credentials',
    'csrf',
    'iap',
    'identity',
    'jwt',
    'key',
  ],
  ...['oauth', 'oidc', 'otp', 'passwd', 'password', 'principal', 'saml', 'secret', 'session', 'sessionid'],
  ...['sid', 'signin', 'sso', 'ticket', 'token', 'tokens', 'xsrf'],
]);

/** What speaks for the server, for other answers of its origin, or to a proxy in front of it. */
const AUTHORITY: ReadonlySet<string> = new Set([
  ...['alt-svc', 'clear-site-data', 'content-security-policy', 'content-security-policy-report-only', 'date'],
  ...['nel', 'origin-agent-cluster', 'report-to', 'reporting-endpoints', 'server', 'service-worker-allowed'],
  ...['set-cookie', 'set-cookie2', 'strict-transport-security', 'x-cache', 'x-cache-lookup'],
  ...['x-content-type-options', 'x-frame-options', 'x-request-id', 'x-sendfile'],
]);
const AUTHORITY_PREFIXES = ['access-control-', 'x-accel-', 'x-forwarded-', 'x-lighttpd-', 'x-reproxy-'];

/** The headers of an answer without `x-` that say something of this answer alone: patterns cover no others. */
const PLAIN_RESPONSE: ReadonlySet<string> = new Set([
  ...['accept-patch', 'accept-post', 'accept-ranges', 'allow', 'cache-control', 'content-digest'],
  ...['content-disposition', 'content-encoding', 'content-language', 'content-md5', 'content-range'],
  ...['content-type', 'deprecation', 'digest', 'etag', 'expires', 'last-modified', 'location', 'pragma'],
  ...['ratelimit', 'ratelimit-limit', 'ratelimit-policy', 'ratelimit-remaining', 'ratelimit-reset'],
  ...['repr-digest', 'retry-after', 'server-timing', 'sunset', 'vary', 'warning'],
]);

/** Words of `x-` names that proxies, caches, delivery networks and platforms act on, or browsers for more than one answer. */
const INTERPRETED_WORDS: ReadonlySet<string> = new Set([
  ...['accel', 'akamai', 'amz', 'amzn', 'apache', 'ats', 'azure', 'ban', 'cache', 'cdn', 'cf', 'cloudflare'],
  ...['csp', 'dns', 'edge', 'envoy', 'esi', 'fastly', 'forwarded', 'goog', 'google', 'haproxy', 'internal'],
  ...['invalidate', 'istio', 'kong', 'lighttpd', 'litespeed', 'location', 'lscache', 'matched'],
  ...['middleware', 'ms', 'netlify', 'nextjs', 'nf', 'nginx', 'now', 'options', 'original', 'override'],
  ...['policies', 'policy', 'proxy', 'purge', 'redirect', 'reproxy', 'rewrite', 'security', 'send', 'squid'],
  ...['surrogate', 'traefik', 'ua', 'upstream', 'varnish', 'vercel', 'webkit', 'xkey', 'xss'],
]);

/** In which direction a header crosses: what a credential is to the one is an order to a proxy in the other. */
export type HeaderDirection = 'request' | 'response';

/** Headers that frame a message belong to the connection: no policy grants them. The name is in lower case. */
export function isFramingHeader(name: string): boolean {
  return FRAMING.has(name);
}

const hasWord = (name: string, words: ReadonlySet<string>) =>
  name.split(/[-_]/).some((word) => words.has(word));

const hasAuthority = (name: string) =>
  CREDENTIALS.has(name) ||
  AUTHORITY.has(name) ||
  AUTHORITY_PREFIXES.some((prefix) => name.startsWith(prefix));

function isInterpreted(name: string): boolean {
  return hasWord(name, INTERPRETED_WORDS) || /^x-?sendfile/.test(name);
}

/**
 * Credentials, and headers with authority beyond the message that carries them, are granted by name, never by a pattern. Of a
 * response that is every name which is not known to be harmless. The name, or the beginning of some, is in lower case.
 */
function needsExactName(direction: HeaderDirection, name: string): boolean {
  if (hasAuthority(name)) return true;
  if (direction === 'request') return hasWord(name, CREDENTIAL_WORDS);
  if (name.startsWith('x-')) return isInterpreted(name);
  // The beginning of names is no name: each that begins so is looked at by itself.
  return !name.endsWith('-') && !PLAIN_RESPONSE.has(name);
}

/** A list of a policy, ready to be asked. Names are in lower case. */
export interface HeaderGrant {
  /** The names that are listed as they are, framing ones left out. */
  readonly exact: readonly string[];
  /** Whether there are patterns, so that names beyond `exact` may be granted. */
  readonly hasPatterns: boolean;
  allows(name: string): boolean;
}

/**
 * Reads the list of a policy: names in any case, and patterns that end in `*`. A pattern never opens a credential or a
 * header with authority of its own.
 */
export function createHeaderGrant(direction: HeaderDirection, list: readonly string[]): HeaderGrant {
  const names = list.map((entry) => entry.toLowerCase());
  const exact = new Set(names.filter((name) => !name.endsWith('*') && !FRAMING.has(name)));
  const prefixes = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  const covers = (name: string) => prefixes.some((prefix) => name.startsWith(prefix));
  return {
    exact: [...exact],
    hasPatterns: prefixes.length > 0,
    allows: (name) =>
      exact.has(name) || (covers(name) && !FRAMING.has(name) && !needsExactName(direction, name)),
  };
}

/** Request headers that posted code sees where its policy has no list. */
export const DEFAULT_REQUEST_HEADERS: readonly string[] = [
  'accept',
  'accept-language',
  'content-type',
  'user-agent',
];
/** Response headers that it may set where its policy has no list. */
export const DEFAULT_RESPONSE_HEADERS: readonly string[] = [
  ...['content-type', 'content-language', 'content-disposition', 'cache-control', 'etag'],
  ...['last-modified', 'expires', 'location', 'vary', 'x-*'],
];

const NAME = /^[a-z0-9!#$%&'+.^_`|~-]{1,100}$/;
const PATTERN = /^[a-z0-9!#$%&'+.^_`|~-]{0,99}-\*$/;

const stem = (entry: string) => (entry.endsWith('*') ? entry.slice(0, -1) : entry);

/** The issue of an entry, if any: it must be a name in lower case, or a pattern such as `x-*`. */
export function headerGrantIssue(direction: HeaderDirection, entry: string): string | undefined {
  if (isFramingHeader(entry)) return 'frames the message and can never be granted';
  if (NAME.test(entry)) return undefined;
  if (!PATTERN.test(entry)) return 'must be the name of a header in lower case, or a pattern such as `x-*`';
  return needsExactName(direction, stem(entry))
    ? 'must be granted name by name, without a pattern'
    : undefined;
}

/**
 * Does an entry cover this name, or this narrower pattern? Patterns, `*` too, never cover what frames a message or needs
 * its exact name. All are in lower case.
 */
export function headerGrantCovers(direction: HeaderDirection, entry: string, asked: string): boolean {
  if (entry === asked) return !isFramingHeader(asked);
  if (!entry.endsWith('*') || !asked.startsWith(stem(entry))) return false;
  return !isFramingHeader(asked) && !needsExactName(direction, stem(asked));
}

/** What a request says of itself. Any other header of it, or a pattern, may show a credential that nobody here has heard of. */
const PLAIN_REQUEST: ReadonlySet<string> = new Set([
  ...DEFAULT_REQUEST_HEADERS,
  ...['cache-control', 'content-encoding', 'content-language', 'dnt', 'host', 'origin', 'pragma', 'prefer'],
  ...['range', 'save-data', 'upgrade-insecure-requests'],
]);
const PLAIN_REQUEST_PREFIXES = ['accept-', 'if-', 'sec-ch-', 'sec-fetch-'];

/** Does this entry of a policy give more than the exchange of a request and its own answer? */
export function isPrivilegedHeader(direction: HeaderDirection, entry: string): boolean {
  if (direction === 'response') return !entry.endsWith('*') && needsExactName(direction, entry);
  return !PLAIN_REQUEST.has(entry) && !PLAIN_REQUEST_PREFIXES.some((prefix) => entry.startsWith(prefix));
}

/** Rounds of percent-decoding after which a path that is still encoded is rejected. */
const MAX_DECODE_ROUNDS = 3;

function decodeFully(segment: string): string | undefined {
  let text = segment;
  for (let round = 0; round < MAX_DECODE_ROUNDS; round += 1) {
    if (!text.includes('%')) return text;
    try {
      text = decodeURIComponent(text);
    } catch {
      return undefined;
    }
  }
  return undefined;
}

/**
 * True for a segment that no server takes for a step to another folder. `URL` has resolved plain dot segments; encoded
 * slashes, double encodings, and dots with parameters (`..;a`) remain.
 */
export function staysInFolder(segment: string): boolean {
  const text = decodeFully(segment);
  if (text === undefined || /[/\\\p{Cc}]/u.test(text)) return false;
  return !/^\.{1,2}(?:;|$)/.test(text);
}

function coversPath(granted: string, url: URL): boolean {
  const place = new URL(url.origin);
  place.pathname = granted;
  const path = place.pathname;
  if (!path.endsWith('/')) return path === url.pathname;
  return url.pathname.startsWith(path) && url.pathname.split('/').every(staysInFolder);
}

function coversOrigin(granted: string, url: URL): boolean {
  const origin = URL.parse(granted);
  return origin !== null && originOf(origin) === originOf(url);
}

/** The first grant that covers the method (upper case), origin and path. Credentials in a URL are never covered. */
export function findFetchGrant(
  grants: readonly FetchGrant[],
  url: URL,
  method: string,
): FetchGrant | undefined {
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  return grants.find(
    ({ origin, methods, paths }) =>
      coversOrigin(origin, url) &&
      methods.some((granted) => granted.toUpperCase() === method) &&
      paths.some((path) => coversPath(path, url)),
  );
}
