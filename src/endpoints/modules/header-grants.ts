// Which headers a policy can grant at all, and what an entry of its lists covers.

/** What posted code sees of a request when its policy has no list of its own. */
export const DEFAULT_REQUEST_HEADERS: readonly string[] = [
  'accept',
  'accept-language',
  'content-type',
  'user-agent',
];
/** What it may set when its policy has no list of its own. */
export const DEFAULT_RESPONSE_HEADERS: readonly string[] = [
  ...['content-type', 'content-language', 'content-disposition', 'cache-control', 'etag'],
  ...['last-modified', 'expires', 'location', 'vary', 'x-*'],
];

// They say where a message ends: whoever writes them can smuggle a second one.
const FRAMING: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'http2-settings', 'keep-alive', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
]);
// They carry or set credentials, speak for the server or for other answers of its origin, or to a proxy in front of it.
const BY_NAME_ONLY: ReadonlySet<string> = new Set([
  ...['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'set-cookie2'],
  ...['x-access-token', 'x-api-key', 'x-auth-token', 'date', 'server', 'strict-transport-security'],
  ...['content-security-policy', 'content-security-policy-report-only', 'x-content-type-options'],
  ...['x-frame-options', 'x-request-id', 'x-cache', 'x-cache-lookup', 'x-sendfile'],
  ...['alt-svc', 'clear-site-data', 'nel', 'origin-agent-cluster', 'report-to', 'reporting-endpoints'],
  'service-worker-allowed',
]);
const FAMILIES_BY_NAME_ONLY = [
  ...['access-control-', 'x-accel-', 'x-forwarded-', 'x-lighttpd-', 'x-reproxy-'],
];

const NAME = /^[a-z0-9!#$%&'+.^_`|~-]{1,100}$/;
const PATTERN = /^[a-z0-9!#$%&'+.^_`|~-]{0,99}-\*$/;

const stem = (entry: string) => (entry.endsWith('*') ? entry.slice(0, -1) : entry);

/** Headers that frame a message belong to the connection: no policy grants them. The name is in lower case. */
export function isFraming(name: string): boolean {
  return FRAMING.has(name);
}

function needsExactName(name: string): boolean {
  return BY_NAME_ONLY.has(name) || FAMILIES_BY_NAME_ONLY.some((prefix) => name.startsWith(prefix));
}

/** What is wrong with an entry of a list: it must be a name in lower case, or a pattern such as `x-*`. */
export function headerGrantProblem(entry: string): string | undefined {
  if (isFraming(entry)) return 'frames the message and can never be granted';
  if (NAME.test(entry)) return undefined;
  if (!PATTERN.test(entry)) return 'must be the name of a header in lower case, or a pattern such as `x-*`';
  return needsExactName(stem(entry)) ? 'must be granted name by name, without a pattern' : undefined;
}

/**
 * Does an entry cover this name, or this narrower pattern? Patterns, `*` too, never cover what frames a message or needs
 * its exact name. All are in lower case.
 */
export function headerGrantCovers(entry: string, asked: string): boolean {
  if (entry === asked) return !isFraming(asked);
  if (!entry.endsWith('*') || !asked.startsWith(stem(entry))) return false;
  return !isFraming(asked) && !needsExactName(stem(asked));
}
