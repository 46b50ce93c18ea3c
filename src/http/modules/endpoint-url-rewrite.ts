// Which requests go to posted code. Its paths change while the server runs and may have any depth, so they are no routes:
// such a request is led to an internal address before the router sees it, and what was found is kept with the request.
import type { IncomingMessage } from 'node:http';
import type { EndpointMatch, ModuleRegistry } from '../../modules/model/module-types.ts';
import { urlPath } from '../core/request-url.ts';

// No version of anything begins with a dot, so neither address can be meant by a client.
/** Where calls of endpoints arrive. */
export const ENDPOINT_CALL_PATH = '/.call';
/** Above which the sub-resources of endpoints arrive. */
export const ENDPOINT_ADMIN_PATH = '/.endpoint';

export interface EndpointUrlRewriter {
  /** The URL that the router is to look up: the request's own unless it is for an endpoint. */
  rewrite(raw: IncomingMessage): string;
  /** What a request is for. Undefined when it came to an internal address by itself. */
  getMatch(raw: IncomingMessage): EndpointMatch | undefined;
}

const MATCH = Symbol('match');

interface MarkedRequest extends IncomingMessage {
  [MATCH]?: EndpointMatch;
}

/** Makes the look-up over the live endpoints. */
export function createEndpointUrlRewriter(registry: Pick<ModuleRegistry, 'match'>): EndpointUrlRewriter {
  return {
    rewrite(raw: MarkedRequest) {
      const url = raw.url ?? '/';
      const match = registry.match(urlPath(url));
      if (match === undefined) return url;
      raw[MATCH] = match;
      const { sub } = match;
      return sub.length === 0
        ? ENDPOINT_CALL_PATH
        : `${ENDPOINT_ADMIN_PATH}/${sub.map(encodeURIComponent).join('/')}`;
    },
    getMatch: (raw: MarkedRequest) => raw[MATCH],
  };
}
