// Which headers a policy may list, and whether one list covers what another asks for.
import { createHeaderGrant, isFraming } from '../header-rules.ts';

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

const NAME = /^[a-z0-9!#$%&'+.^_`|~-]{1,100}$/;
const PATTERN = /^[a-z0-9!#$%&'+.^_`|~-]{0,99}-\*$/;
const ORDINARY = createHeaderGrant(['*']);

const stem = (entry: string) => (entry.endsWith('*') ? entry.slice(0, -1) : entry);

/** What is wrong with an entry of a list: it must be a name in lower case, or a pattern such as `x-*`. */
export function headerGrantProblem(entry: string): string | undefined {
  if (isFraming(entry)) return 'frames the message and can never be granted';
  if (NAME.test(entry)) return undefined;
  if (!PATTERN.test(entry)) return 'must be the name of a header in lower case, or a pattern such as `x-*`';
  return ORDINARY.allows(stem(entry)) ? undefined : 'must be granted name by name, without a pattern';
}

/** Does an entry of the ceilings cover an entry of a policy? Patterns, `*` too, cover ordinary headers only. */
export function headerCeilingCovers(ceiling: string, asked: string): boolean {
  if (ceiling === asked) return true;
  return ceiling.endsWith('*') && asked.startsWith(stem(ceiling)) && ORDINARY.allows(stem(asked));
}
