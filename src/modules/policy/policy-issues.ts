// Finds where a policy of valid shape exceeds the policy limits, or asks for what cannot be granted.
import { exceededCollectionMember, exceededFetchMember, fetchLimitsFor } from './grant-cover.ts';
import { headerGrantCovers, headerGrantIssue } from './header-grants.ts';
import { type HeaderDirection, isFramingHeader } from './header-rules.ts';
import type { PolicyLimits } from './policy-limits.ts';
import { policyOriginIssue } from './policy-origin.ts';
import type { PolicyInput } from './policy-schema.ts';

type PolicyIssue = readonly [field: string, message: string];
type Grants = NonNullable<PolicyInput['grants']>;

const ABOVE = 'the ceilings of the operator allow no more';
/** Members whose message says what the operator has to add. */
const FETCH_ABOVE: Readonly<Record<string, string>> = {
  origin: `${ABOVE}; an entry of \`grants.fetch\` in the ceilings has to name this origin, also where \`egress.allow\` lists its host`,
  headers: `${ABOVE}; a secret has to be in the \`headers\` of the entry of \`grants.fetch\` that names this origin`,
};
const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
const VALUE = /^[\t\x20-\x7e\u0080-\u00ff]{0,2000}$/;
const SECRET_NAME = /^secret:[A-Z][A-Z0-9_]{0,63}$/;
const CONNECTION_HEADERS = ['host', 'expect', 'accept-encoding'];

function* limitIssues(
  limits: PolicyInput['limits'],
  ceilings: PolicyLimits['limits'],
): Iterable<PolicyIssue> {
  for (const [name, value] of Object.entries(limits ?? {})) {
    const most = ceilings[name as keyof PolicyLimits['limits']];
    const unbounded = name === 'perMinute' && most === 0;
    if (value > most && !unbounded) yield [`limits.${name}`, `must be ${most} or less: ${ABOVE}`];
  }
}

function* headerIssues(
  direction: HeaderDirection,
  asked: readonly string[] | undefined,
  ceiling: readonly string[],
): Iterable<PolicyIssue> {
  for (const [index, entry] of (asked ?? []).entries()) {
    const covered = ceiling.some((most) => headerGrantCovers(direction, most, entry));
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

function* fetchIssues(fetch: Grants['fetch'], ceilings: PolicyLimits): Iterable<PolicyIssue> {
  for (const [index, asked] of (fetch ?? []).entries()) {
    const field = `grants.fetch.${index}`;
    for (const [name, value] of Object.entries(asked.headers ?? {})) {
      const message = addedHeaderIssue(name, value);
      if (message !== undefined) yield [`${field}.headers.${name}`, message];
    }
    const unsafe = policyOriginIssue(asked.origin, ceilings.egress.allow);
    if (unsafe !== undefined) yield [`${field}.origin`, unsafe];
    const member = exceededFetchMember(asked, fetchLimitsFor(asked.origin, ceilings));
    if (unsafe === undefined && member !== undefined)
      yield [`${field}.${member}`, `is not granted: ${FETCH_ABOVE[member] ?? ABOVE}`];
  }
}

/** Yields every issue with the dotted path of its field. */
export function* findPolicyIssues(
  { limits, grants = {} }: PolicyInput,
  ceilings: PolicyLimits,
): Iterable<PolicyIssue> {
  const { request, response, collections } = ceilings.grants;
  yield* limitIssues(limits, ceilings.limits);
  yield* headerIssues('request', grants.request?.headers, request.headers);
  if ((grants.request?.maxBodyBytes ?? 0) > request.maxBodyBytes) {
    yield ['grants.request.maxBodyBytes', `must be ${request.maxBodyBytes} or less: ${ABOVE}`];
  }
  yield* headerIssues('response', grants.response?.headers, response.headers);
  for (const [index, asked] of (grants.collections ?? []).entries()) {
    const member = exceededCollectionMember(asked, collections);
    if (member !== undefined) yield [`grants.collections.${index}.${member}`, `is not granted: ${ABOVE}`];
  }
  yield* fetchIssues(grants.fetch, ceilings);
}
