// Policies: what an admin puts is checked against the ceilings, and becomes what holds, with every default filled in.
import { AppError, type ErrorItem } from '../../errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { checkJson } from '../../lib/json-check.ts';
import { createSchemaCheck, type SchemaCheck } from '../../lib/json-schema.ts';
import type { Direction } from '../header-rules.ts';
import type { EffectivePolicy, Grants, Limits } from '../unit.ts';
import type { Ceilings } from './ceilings.ts';
import { coveringCollection, coveringFetch, fetchCeilings } from './grant-cover.ts';
import { DEFAULT_REQUEST_HEADERS, DEFAULT_RESPONSE_HEADERS, headerGrantCovers } from './header-grants.ts';
import { type OriginProblem, policyProblems } from './policy-problems.ts';
import { POLICY_FORMATS, POLICY_SCHEMA, type PolicyInput } from './policy-schema.ts';

const MAX_POLICY = 100_000;
const MAX_ITEMS = 50;
const LIMITS: Limits = {
  cpuMs: 1000,
  wallMs: 5000,
  heapMb: 64,
  responseBytes: 10_485_760,
  logBytes: 65_536,
  hostCalls: 50,
  concurrency: 16,
  perMinute: 0,
};
const RESULTS = 1000;
const DEFAULTS = { request: DEFAULT_REQUEST_HEADERS, response: DEFAULT_RESPONSE_HEADERS };
const FETCH = { methods: ['GET'], paths: ['/'], maxBytes: 1_048_576, timeoutMs: 5000, headers: {} };

interface PolicyRules {
  readonly ceilings: Ceilings;
  /** Bytes of a request body that the server takes at all. */
  readonly jsonBytes: number;
  readonly originProblem: OriginProblem;
}

/** A checked policy, as it was put and as it is to be understood. */
export interface Policy {
  /** What the admin put; undefined when nobody put one. */
  readonly given: JsonObject | undefined;
  /** The text of its file, where it was read from one. */
  readonly text?: string;
  /** What holds for the module of this id. A quarantined one shares a process with nobody. */
  effective(id: string, quarantined: boolean): EffectivePolicy;
}

export interface PolicyReader {
  /** Rejects with POLICY_INVALID, each item with the path in `field`. */
  read(value: unknown): Promise<Policy>;
  /** The policy of a module that has none. */
  readonly none: Policy;
}

const refuse = (items: readonly ErrorItem[]) =>
  new AppError('POLICY_INVALID', {
    items: items.slice(0, MAX_ITEMS).map((item) => ({ ...item, code: 'POLICY_INVALID' })),
  });

function assertPolicy(value: unknown, check: SchemaCheck, rules: PolicyRules): PolicyInput {
  const fault = checkJson(value);
  if (fault !== undefined) throw refuse([{ field: fault.path, message: fault.message }]);
  if ((JSON.stringify(value) ?? '').length > MAX_POLICY) {
    throw refuse([{ message: `A policy has at most ${MAX_POLICY} characters` }]);
  }
  const owned = typeof value === 'object' && value !== null && Object.hasOwn(value, 'code');
  if (owned) throw refuse([{ field: 'code', message: 'is written by the server and cannot be put' }]);
  const shape = check(POLICY_SCHEMA, value).map(({ path, message }) => ({ field: path, message }));
  if (shape.length > 0) throw refuse(shape);
  const input = value as PolicyInput;
  const problems = [...policyProblems(input, rules.ceilings, rules.originProblem)];
  if (problems.length > 0) throw refuse(problems.map(([field, message]) => ({ field, message })));
  return input;
}

function limitsOf(given: PolicyInput['limits'], ceilings: Limits): Limits {
  const least = (name: keyof Limits) => Math.min(given?.[name] ?? LIMITS[name], ceilings[name]);
  const perMinute = given?.perMinute ?? ceilings.perMinute;
  return {
    cpuMs: least('cpuMs'),
    wallMs: least('wallMs'),
    heapMb: least('heapMb'),
    responseBytes: least('responseBytes'),
    logBytes: least('logBytes'),
    hostCalls: least('hostCalls'),
    concurrency: least('concurrency'),
    perMinute,
  };
}

function headersOf(
  direction: Direction,
  given: readonly string[] | undefined,
  ceilings: readonly string[],
): readonly string[] {
  const usual = DEFAULTS[direction].filter((entry) =>
    ceilings.some((most) => headerGrantCovers(direction, most, entry)),
  );
  return [...new Set(given ?? usual)];
}

function grantsOf(given: PolicyInput['grants'], { ceilings, jsonBytes }: PolicyRules): Grants {
  const { request, response, collections } = ceilings.grants;
  const body = given?.request?.maxBodyBytes ?? jsonBytes;
  return {
    request: {
      headers: headersOf('request', given?.request?.headers, request.headers),
      maxBodyBytes: Math.min(body, request.maxBodyBytes),
    },
    response: { headers: headersOf('response', given?.response?.headers, response.headers) },
    collections: (given?.collections ?? []).map((grant) => {
      const most = coveringCollection(grant, collections)?.maxResults ?? 0;
      return { as: 'caller', ...grant, maxResults: Math.min(grant.maxResults ?? RESULTS, most) };
    }),
    fetch: (given?.fetch ?? []).map((grant) => {
      const entries = fetchCeilings(grant.origin, ceilings);
      const most = coveringFetch(grant, entries);
      const named = entries.filter(({ origin }) => !origin.endsWith('*'));
      return {
        ...FETCH,
        ...grant,
        ...(coveringFetch(grant, named) === undefined ? { publicOnly: true } : {}),
        maxBytes: Math.min(grant.maxBytes ?? FETCH.maxBytes, most?.maxBytes ?? 0),
        timeoutMs: Math.min(grant.timeoutMs ?? FETCH.timeoutMs, most?.timeoutMs ?? 0),
      };
    }),
  };
}

function toPolicy(input: PolicyInput, given: JsonObject | undefined, rules: PolicyRules): Policy {
  const grants = grantsOf(input.grants, rules);
  const limits = limitsOf(input.limits, rules.ceilings.limits);
  const holdsSecret = grants.fetch.some(({ headers }) =>
    Object.values(headers).some((value) => value.startsWith('secret:')),
  );
  return {
    given,
    effective(id, quarantined) {
      // No name that a policy may choose has a colon in it.
      const own = `own:${id}`;
      const chosen = input.trustDomain ?? (holdsSecret ? own : 'default');
      return {
        isolation: input.isolation ?? 'realm',
        trustDomain: quarantined ? own : chosen,
        limits,
        grants,
      };
    },
  };
}

/**
 * Makes the reader of policies. What a policy leaves out is cut to the ceilings like what it says. The validator is loaded
 * on first need.
 */
export function createPolicyReader(rules: PolicyRules): PolicyReader {
  let check: Promise<SchemaCheck> | undefined;
  return {
    none: toPolicy({}, undefined, rules),
    async read(value) {
      check ??= createSchemaCheck({ annotations: [], formats: POLICY_FORMATS });
      const input = assertPolicy(value, await check, rules);
      return toPolicy(input, { version: 1, ...(value as JsonObject) }, rules);
    },
  };
}
