// Finds where a policy of valid shape exceeds the policy limits, or asks for what cannot be granted.

import { isIP } from 'node:net';
import {
  bareHostname,
  createAllowedDestinations,
  isPublicAddress,
  portOf,
} from '../../lib/egress/addresses.ts';
import { type HeaderDirection, headerGrantCovers, headerGrantIssue, isFramingHeader } from './grants.ts';
import {
  exceededCollectionMember,
  exceededFetchMember,
  fetchLimitsFor,
  type PolicyLimits,
} from './policy-limits.ts';
import type { PolicyInput } from './policy-schema.ts';

/** Names that no public server has (RFC 6761, 6762, 8375 and the reserved `internal`). */
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|home\.arpa|localdomain)$/;

/** `URL` lets more through, such as a `*` that would never match anything. */
const HOSTNAME = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

function isOrigin(url: URL): boolean {
  return /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
}

function isPrivate(hostname: string): boolean {
  if (isIP(hostname) !== 0) return !isPublicAddress(hostname);
  return !hostname.includes('.') || PRIVATE_NAME.test(hostname);
}

/**
 * What is wrong with the `origin` of a `fetch` grant, in words that follow the name of the field: undefined when nothing
 * is. `egressAllow` is the list of the policy limits. A name may still lead to a private address when it is used: `fetch`
 * looks again.
 */
export function policyOriginIssue(origin: string, egressAllow: readonly string[]): string | undefined {
  const url = URL.parse(origin);
  if (url === null || !isOrigin(url)) return 'must be a scheme (http or https), a host and perhaps a port';
  const hostname = bareHostname(url.hostname);
  if (isIP(hostname) === 0 && !HOSTNAME.test(hostname)) return 'must name one host';
  if (isPrivate(hostname) && !createAllowedDestinations(egressAllow)(hostname, portOf(url))) {
    return 'is private or of this machine, and `egress.allow` of the policy limits does not list it';
  }
  return undefined;
}

type PolicyIssue = readonly [field: string, message: string];
type Grants = NonNullable<PolicyInput['grants']>;

const ABOVE = 'the policy limits of the operator allow no more';
/** Members whose message says what the operator has to add. */
const FETCH_ABOVE: Readonly<Record<string, string>> = {
  origin: `${ABOVE}; an entry of \`grants.fetch\` in the policy limits has to name this origin, also where \`egress.allow\` lists its host`,
  headers: `${ABOVE}; a secret has to be in the \`headers\` of the entry of \`grants.fetch\` that names this origin`,
};
const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
const VALUE = /^[\t\x20-\x7e\u0080-\u00ff]{0,2000}$/;
const SECRET_NAME = /^secret:[A-Z][A-Z0-9_]{0,63}$/;
const CONNECTION_HEADERS = ['host', 'expect', 'accept-encoding'];

function* limitIssues(limits: PolicyInput['limits'], maximum: PolicyLimits['limits']): Iterable<PolicyIssue> {
  for (const [name, value] of Object.entries(limits ?? {})) {
    const max = maximum[name as keyof PolicyLimits['limits']];
    const unbounded = name === 'perMinute' && max === 0;
    if (value > max && !unbounded) yield [`limits.${name}`, `must be ${max} or less: ${ABOVE}`];
  }
}

function* headerIssues(
  direction: HeaderDirection,
  asked: readonly string[] | undefined,
  maximum: readonly string[],
): Iterable<PolicyIssue> {
  for (const [index, entry] of (asked ?? []).entries()) {
    const covered = maximum.some((max) => headerGrantCovers(direction, max, entry));
    const message = headerGrantIssue(direction, entry) ?? (covered ? undefined : `is not granted: ${ABOVE}`);
    if (message !== undefined) yield [`grants.${direction}.headers.${index}`, message];
  }
}

function addedHeaderIssue(name: string, value: string): string | undefined {
  if (!NAME.test(name) || isFramingHeader(name) || CONNECTION_HEADERS.includes(name)) {
    return 'is no header that can be added; names are in lower case';
  }
  const fits = value.startsWith('secret:') ? SECRET_NAME.test(value) : VALUE.test(value);
  return fits ? undefined : 'must be visible characters, or `secret:<NAME>`';
}

function* fetchIssues(fetch: Grants['fetch'], policyLimits: PolicyLimits): Iterable<PolicyIssue> {
  for (const [index, asked] of (fetch ?? []).entries()) {
    const field = `grants.fetch.${index}`;
    for (const [name, value] of Object.entries(asked.headers ?? {})) {
      const message = addedHeaderIssue(name, value);
      if (message !== undefined) yield [`${field}.headers.${name}`, message];
    }
    const unsafe = policyOriginIssue(asked.origin, policyLimits.egress.allow);
    if (unsafe !== undefined) yield [`${field}.origin`, unsafe];
    const member = exceededFetchMember(asked, fetchLimitsFor(asked.origin, policyLimits));
    if (unsafe === undefined && member !== undefined)
      yield [`${field}.${member}`, `is not granted: ${FETCH_ABOVE[member] ?? ABOVE}`];
  }
}

function* bcryptIssues(asked: Grants['bcrypt'], maxRounds: number): Iterable<PolicyIssue> {
  if (asked === undefined) return;
  if (maxRounds === 0) yield ['grants.bcrypt', `is not granted: ${ABOVE}`];
  else if ((asked.maxRounds ?? 0) > maxRounds)
    yield ['grants.bcrypt.maxRounds', `must be ${maxRounds} or less: ${ABOVE}`];
}

/** Yields every issue with the dotted path of its field. */
export function* findPolicyIssues(
  { limits, grants = {} }: PolicyInput,
  policyLimits: PolicyLimits,
): Iterable<PolicyIssue> {
  const { request, response, collections } = policyLimits.grants;
  yield* limitIssues(limits, policyLimits.limits);
  yield* headerIssues('request', grants.request?.headers, request.headers);
  if ((grants.request?.maxBodyBytes ?? 0) > request.maxBodyBytes) {
    yield ['grants.request.maxBodyBytes', `must be ${request.maxBodyBytes} or less: ${ABOVE}`];
  }
  yield* headerIssues('response', grants.response?.headers, response.headers);
  for (const [index, asked] of (grants.collections ?? []).entries()) {
    const member = exceededCollectionMember(asked, collections);
    if (member !== undefined) yield [`grants.collections.${index}.${member}`, `is not granted: ${ABOVE}`];
  }
  yield* fetchIssues(grants.fetch, policyLimits);
  yield* bcryptIssues(grants.bcrypt, policyLimits.grants.bcrypt.maxRounds);
}
