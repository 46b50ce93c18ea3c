// Finds the grant of a policy that covers a request: an exact path, or one below a granted folder.

import { originOf } from '../../lib/egress/addresses.ts';
import type { FetchGrant } from '../../sandbox-supervisor/model/module-version.ts';

/** Rounds of percent-decoding after which a path that is still encoded is rejected. */
const MAX_ROUNDS = 3;

function decodeFully(segment: string): string | undefined {
  let text = segment;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
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
