// Header lists of policies: which entries are valid, what each covers, and which count as privileged.
import { type HeaderDirection, isFramingHeader, needsExactName } from './header-rules.ts';

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
