// Tests whether an entry of the policy limits covers a grant of a policy, and finds the member of the grant that exceeds it.

import { bareHost, createAllowedDestinations, portOf } from '../../lib/egress/addresses.ts';
import type { CollectionGrant, FetchGrant } from '../../sandbox-supervisor/module-version.ts';
import type { FetchLimit, PolicyLimits } from './policy-limits.ts';

type RequestedGrant<G> = { readonly [M in keyof G]?: G[M] | undefined };

/** Tests in their order: the first that fails names its member. */
type MemberTests<G, C> = readonly (readonly [
  member: keyof G & string,
  fits: (asked: RequestedGrant<G>, most: C) => boolean,
])[];

const within = (pattern: string, text: string) =>
  pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : pattern === text;
const all = (asked: readonly string[] | undefined, most: readonly string[]) =>
  (asked ?? []).every((entry) => most.includes(entry));
const underPath = (prefix: string, path: string) =>
  prefix === path || (prefix.endsWith('/') && path.startsWith(prefix));

const COLLECTION: MemberTests<CollectionGrant, CollectionGrant> = [
  ['name', ({ name = '' }, most) => within(most.name, name)],
  ['as', ({ as = 'caller' }, most) => within(most.as, as)],
  ['actions', ({ actions }, most) => all(actions, most.actions)],
  ['maxResults', ({ maxResults = 1 }, most) => maxResults <= most.maxResults],
];

// A secret goes only to hosts that the operator named together with it, never to a host of the admin's choice.
function mayAddHeader(name: string, value: string, { headers, origin }: FetchLimit): boolean {
  if (value.startsWith('secret:') && (headers === undefined || origin.endsWith('*'))) return false;
  return headers === undefined || (Object.hasOwn(headers, name) && headers[name] === value);
}

const FETCH: MemberTests<FetchGrant, FetchLimit> = [
  ['origin', ({ origin = '' }, most) => within(most.origin, origin)],
  ['methods', ({ methods = ['GET'] }, most) => all(methods, most.methods)],
  [
    'paths',
    ({ paths = ['/'] }, most) => paths.every((path) => most.paths.some((prefix) => underPath(prefix, path))),
  ],
  [
    'headers',
    ({ headers = {} }, most) =>
      Object.entries(headers).every(([name, value]) => mayAddHeader(name, value, most)),
  ],
  ['maxBytes', ({ maxBytes = 1 }, most) => maxBytes <= most.maxBytes],
  ['timeoutMs', ({ timeoutMs = 1 }, most) => timeoutMs <= most.timeoutMs],
];

/** The member that no entry covers together with those before it; undefined when one entry covers all. */
function exceededMember<G, C>(
  tests: MemberTests<G, C>,
  asked: RequestedGrant<G>,
  ceilings: readonly C[],
): string | undefined {
  const failures = ceilings.map((most) => tests.findIndex(([, fits]) => !fits(asked, most)));
  if (failures.includes(-1)) return undefined;
  return tests[Math.max(0, ...failures)]?.[0];
}

/** The member of a collection grant that exceeds the policy limits, if any. */
export function exceededCollectionMember(
  asked: RequestedGrant<CollectionGrant>,
  ceilings: readonly CollectionGrant[],
): string | undefined {
  return exceededMember(COLLECTION, asked, ceilings);
}

/**
 * The entries of the policy limits that may cover a grant for this origin. `https://*` stands for every public host: a host of
 * `egress.allow` is covered by entries that name it, so that the operator can narrow what is reached there.
 */
export function fetchLimitsFor(origin: string, { grants, egress }: PolicyLimits): readonly FetchLimit[] {
  const url = URL.parse(origin);
  const isPrivate =
    url !== null && createAllowedDestinations(egress.allow)(bareHost(url.hostname), portOf(url));
  return isPrivate ? grants.fetch.filter((most) => !most.origin.endsWith('*')) : grants.fetch;
}

/** The member of a fetch grant that exceeds the policy limits, if any. */
export function exceededFetchMember(
  asked: RequestedGrant<FetchGrant>,
  ceilings: readonly FetchLimit[],
): string | undefined {
  return exceededMember(FETCH, asked, ceilings);
}

/** The first entry that covers the grant: its numbers limit the defaults of the grant. */
export function findCoveringFetchLimit(
  asked: RequestedGrant<FetchGrant>,
  ceilings: readonly FetchLimit[],
): FetchLimit | undefined {
  return ceilings.find((most) => FETCH.every(([, fits]) => fits(asked, most)));
}

/** The first entry that covers the grant of a collection. */
export function findCoveringCollectionLimit(
  asked: RequestedGrant<CollectionGrant>,
  ceilings: readonly CollectionGrant[],
): CollectionGrant | undefined {
  return ceilings.find((most) => COLLECTION.every(([, fits]) => fits(asked, most)));
}
