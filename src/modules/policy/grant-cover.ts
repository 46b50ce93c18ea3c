// Tests whether an entry of the policy limits covers a grant of a policy, and finds the member of the grant that exceeds it.

import { bareHost, createAllowedDestinations, portOf } from '../../lib/egress/addresses.ts';
import type { CollectionGrant, FetchGrant } from '../../sandbox-supervisor/model/module-version.ts';
import type { FetchLimit, PolicyLimits } from './policy-limits.ts';

type RequestedGrant<G> = { readonly [M in keyof G]?: G[M] | undefined };

/** Tests in their order: the first that fails names its member. */
type MemberTests<G, C> = readonly (readonly [
  member: keyof G & string,
  fits: (requested: RequestedGrant<G>, limit: C) => boolean,
])[];

const within = (pattern: string, text: string) =>
  pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : pattern === text;
const all = (requested: readonly string[] | undefined, limit: readonly string[]) =>
  (requested ?? []).every((entry) => limit.includes(entry));
const underPath = (prefix: string, path: string) =>
  prefix === path || (prefix.endsWith('/') && path.startsWith(prefix));

const COLLECTION: MemberTests<CollectionGrant, CollectionGrant> = [
  ['name', ({ name = '' }, limit) => within(limit.name, name)],
  ['as', ({ as = 'caller' }, limit) => within(limit.as, as)],
  ['actions', ({ actions }, limit) => all(actions, limit.actions)],
  ['maxResults', ({ maxResults = 1 }, limit) => maxResults <= limit.maxResults],
];

// A secret goes only to hosts that the operator named together with it, never to a host of the admin's choice.
function mayAddHeader(name: string, value: string, { headers, origin }: FetchLimit): boolean {
  if (value.startsWith('secret:') && (headers === undefined || origin.endsWith('*'))) return false;
  return headers === undefined || (Object.hasOwn(headers, name) && headers[name] === value);
}

const FETCH: MemberTests<FetchGrant, FetchLimit> = [
  ['origin', ({ origin = '' }, limit) => within(limit.origin, origin)],
  ['methods', ({ methods = ['GET'] }, limit) => all(methods, limit.methods)],
  [
    'paths',
    ({ paths = ['/'] }, limit) =>
      paths.every((path) => limit.paths.some((prefix) => underPath(prefix, path))),
  ],
  [
    'headers',
    ({ headers = {} }, limit) =>
      Object.entries(headers).every(([name, value]) => mayAddHeader(name, value, limit)),
  ],
  ['maxBytes', ({ maxBytes = 1 }, limit) => maxBytes <= limit.maxBytes],
  ['timeoutMs', ({ timeoutMs = 1 }, limit) => timeoutMs <= limit.timeoutMs],
];

/** The member that no entry covers together with those before it; undefined when one entry covers all. */
function exceededMember<G, C>(
  tests: MemberTests<G, C>,
  requested: RequestedGrant<G>,
  limits: readonly C[],
): string | undefined {
  const failures = limits.map((limit) => tests.findIndex(([, fits]) => !fits(requested, limit)));
  if (failures.includes(-1)) return undefined;
  return tests[Math.max(0, ...failures)]?.[0];
}

/** The member of a collection grant that exceeds the policy limits, if any. */
export function exceededCollectionMember(
  requested: RequestedGrant<CollectionGrant>,
  limits: readonly CollectionGrant[],
): string | undefined {
  return exceededMember(COLLECTION, requested, limits);
}

/**
 * The entries of the policy limits that may cover a grant for this origin. `https://*` stands for every public host: a host of
 * `egress.allow` is covered by entries that name it, so that the operator can narrow what is reached there.
 */
export function fetchLimitsFor(origin: string, { grants, egress }: PolicyLimits): readonly FetchLimit[] {
  const url = URL.parse(origin);
  const isPrivate =
    url !== null && createAllowedDestinations(egress.allow)(bareHost(url.hostname), portOf(url));
  return isPrivate ? grants.fetch.filter((limit) => !limit.origin.endsWith('*')) : grants.fetch;
}

/** The member of a fetch grant that exceeds the policy limits, if any. */
export function exceededFetchMember(
  requested: RequestedGrant<FetchGrant>,
  limits: readonly FetchLimit[],
): string | undefined {
  return exceededMember(FETCH, requested, limits);
}

/** The first entry that covers the grant: its numbers limit the defaults of the grant. */
export function findCoveringFetchLimit(
  requested: RequestedGrant<FetchGrant>,
  limits: readonly FetchLimit[],
): FetchLimit | undefined {
  return limits.find((limit) => FETCH.every(([, fits]) => fits(requested, limit)));
}

/** The first entry that covers the grant of a collection. */
export function findCoveringCollectionLimit(
  requested: RequestedGrant<CollectionGrant>,
  limits: readonly CollectionGrant[],
): CollectionGrant | undefined {
  return limits.find((limit) => COLLECTION.every(([, fits]) => fits(requested, limit)));
}
