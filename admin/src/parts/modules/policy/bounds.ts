// What the policy limits of the operator leave of a policy: the upper bound of each number, and what holds where a policy names none.
import type { PolicyLimits } from '../../../api/types-modules.ts';
import { formatNumber } from '../../time.tsx';
import {
  type CollectionGrant,
  DEFAULT_BCRYPT_ROUNDS,
  DEFAULT_FETCH_BYTES,
  DEFAULT_FETCH_MS,
  DEFAULT_LIMITS,
  DEFAULT_MAX_RESULTS,
  type FetchGrant,
  LIMITS,
  type LimitName,
  type Policy,
} from './policy.ts';

const within = (pattern: string, text: string) =>
  pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : pattern === text;

/** The greatest of several bounds; undefined where there is none. */
const greatest = (values: readonly number[]) => (values.length === 0 ? undefined : Math.max(...values));

/** The greatest value of a limit; undefined: no bound. */
export function limitBound({ limits }: PolicyLimits, name: LimitName): number | undefined {
  return name === 'perMinute' && limits.perMinute === 0 ? undefined : limits[name];
}

/** Documents that one call may have at most; undefined where the operator lets no policy have such a grant. */
export function resultsBound(
  { grants }: PolicyLimits,
  { name, as = 'caller' }: CollectionGrant,
): number | undefined {
  const entries = grants.collections.filter((entry) => within(entry.name, name) && within(entry.as, as));
  return greatest(entries.map(({ maxResults }) => maxResults));
}

/** The numbers of a service; undefined where the operator lets no policy use it. */
export function fetchBounds({ grants }: PolicyLimits, { origin }: FetchGrant) {
  const entries = grants.fetch.filter((entry) => within(entry.origin, origin));
  const maxBytes = greatest(entries.map((entry) => entry.maxBytes));
  const timeoutMs = greatest(entries.map((entry) => entry.timeoutMs));
  return maxBytes === undefined || timeoutMs === undefined ? undefined : { maxBytes, timeoutMs };
}

const atMost = (value: number, bound: number | undefined) => Math.min(value, bound ?? value);

/** The policy with the numbers that hold. */
export function boundedPolicy(policy: Policy, limits: PolicyLimits): Policy {
  const { grants = {} } = policy;
  const { collections = [], fetch = [], bcrypt } = grants;
  return {
    ...policy,
    limits: Object.fromEntries(
      LIMITS.map((name) => [
        name,
        atMost(policy.limits?.[name] ?? DEFAULT_LIMITS[name], limitBound(limits, name)),
      ]),
    ),
    grants: {
      ...grants,
      collections: collections.map((grant) => ({
        ...grant,
        maxResults: atMost(grant.maxResults ?? DEFAULT_MAX_RESULTS, resultsBound(limits, grant)),
      })),
      fetch: fetch.map((grant) => {
        const bounds = fetchBounds(limits, grant);
        return {
          ...grant,
          maxBytes: atMost(grant.maxBytes ?? DEFAULT_FETCH_BYTES, bounds?.maxBytes),
          timeoutMs: atMost(grant.timeoutMs ?? DEFAULT_FETCH_MS, bounds?.timeoutMs),
        };
      }),
      ...(bcrypt !== undefined && {
        bcrypt: {
          maxRounds: atMost(bcrypt.maxRounds ?? DEFAULT_BCRYPT_ROUNDS, limits.grants.bcrypt.maxRounds),
        },
      }),
    },
  };
}

interface NumberField {
  readonly value: number | undefined;
  /** What holds where the policy names none: in words, or a number, where infinite means that there is no bound. */
  readonly usual: number | string;
  /** Undefined: there is none, or it is not known. */
  readonly bound: number | undefined;
  /** What the server said of it. */
  readonly error: string | undefined;
}

/** Properties of the input of such a number. What is above the bound stays as it was typed, and is marked. */
export function numberProps({ value, usual, bound, error }: NumberField) {
  const given = typeof usual === 'string' ? usual : atMost(usual, bound);
  const number = given === Number.POSITIVE_INFINITY ? 'no bound' : formatNumber(Number(given));
  const empty = `When empty: ${typeof given === 'string' ? given : number}`;
  const above = bound !== undefined && value !== undefined && value > bound;
  const limit = bound === undefined ? '' : `. At most ${formatNumber(bound)}, as the operator says`;
  return {
    description: empty + limit,
    min: 1,
    ...(bound !== undefined && { max: bound }),
    clampBehavior: 'none' as const,
    value: value ?? '',
    error:
      error ??
      (above && bound !== undefined ? `The operator allows at most ${formatNumber(bound)}` : undefined),
  };
}
