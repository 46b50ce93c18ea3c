// Which headers cross between a client and posted code: the lists of a policy, and what even they cannot open.

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
export function needsExactName(direction: HeaderDirection, name: string): boolean {
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
