// Checks the origin of a `fetch` grant when a policy is put. Requests check the resolved address again.
import { isIP } from 'node:net';
import { bareHost, createAllowedDestinations, isPublicAddress, portOf } from '../../lib/egress/addresses.ts';

/** Names that no public server has (RFC 6761, 6762, 8375 and the reserved `internal`). */
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|home\.arpa|localdomain)$/;

/** `URL` lets more through, such as a `*` that would never match anything. */
const NAME = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

function isOrigin(url: URL): boolean {
  return /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
}

function isPrivate(host: string): boolean {
  if (isIP(host) !== 0) return !isPublicAddress(host);
  return !host.includes('.') || PRIVATE_NAME.test(host);
}

/**
 * What is wrong with the `origin` of a `fetch` grant, in words that follow the name of the field: undefined when nothing
 * is. `egressAllow` is the list of the ceilings file. A name may still lead to a private address when it is used: `fetch`
 * looks again.
 */
export function policyOriginIssue(origin: string, egressAllow: readonly string[]): string | undefined {
  const url = URL.parse(origin);
  if (url === null || !isOrigin(url)) return 'must be a scheme (http or https), a host and perhaps a port';
  const host = bareHost(url.hostname);
  if (isIP(host) === 0 && !NAME.test(host)) return 'must name one host';
  if (isPrivate(host) && !createAllowedDestinations(egressAllow)(host, portOf(url))) {
    return 'is private or of this machine, and `egress.allow` of the ceilings does not list it';
  }
  return undefined;
}
