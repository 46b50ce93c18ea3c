// Which requests go to posted code. Its paths change while the server runs and may have any depth, so they are no routes:
// such a request is led to an internal address before the router sees it, and what was found is kept with the request.
import type { IncomingMessage } from 'node:http';
import type { EndpointMatch, ModuleRegistry } from '../endpoints/modules.ts';

// No version of anything begins with a dot, so neither address can be meant by a client.
/** Where calls of endpoints arrive. */
export const CALL_PATH = '/.call';
/** Above which the sub-resources of endpoints arrive. */
export const SUB_RESOURCES_PATH = '/.endpoint';

export interface EndpointAddresses {
  /** The URL that the router is to look up: the request's own unless it is for an endpoint. */
  rewrite(raw: IncomingMessage): string;
  /** What a request is for. Undefined when it came to an internal address by itself. */
  matchOf(raw: IncomingMessage): EndpointMatch | undefined;
}

const MATCH = Symbol('match');

interface Marked extends IncomingMessage {
  [MATCH]?: EndpointMatch;
}

const URL_END = /[?#]/;
const SCHEME_AND_HOST = /^https?:\/\/[^/]*/i;

/** The path of a URL, without query and fragment, also where the URL has scheme and host. */
export function pathIn(url: string): string {
  const own = url.startsWith('/') ? url : url.replace(SCHEME_AND_HOST, '');
  const end = own.search(URL_END);
  return end === -1 ? own : own.slice(0, end);
}

/** Makes the look-up over the live endpoints. */
export function createEndpointAddresses(registry: Pick<ModuleRegistry, 'match'>): EndpointAddresses {
  return {
    rewrite(raw: Marked) {
      const url = raw.url ?? '/';
      const match = registry.match(pathIn(url));
      if (match === undefined) return url;
      raw[MATCH] = match;
      const { sub } = match;
      return sub.length === 0 ? CALL_PATH : `${SUB_RESOURCES_PATH}/${sub.map(encodeURIComponent).join('/')}`;
    },
    matchOf: (raw: Marked) => raw[MATCH],
  };
}
