// Parses policies: checks what an admin puts against the policy limits, and fills in every default.
import { AppError, type ErrorItem } from '../../errors/errors.ts';
import { findJsonIssue, type JsonObject } from '../../lib/json/json.ts';
import { createSchemaValidator, type SchemaValidator } from '../../lib/json/json-schema.ts';
import type {
  EffectivePolicy,
  ModuleLimits,
  PolicyGrants,
} from '../../sandbox-supervisor/model/module-version.ts';
import {
  DEFAULT_REQUEST_HEADERS,
  DEFAULT_RESPONSE_HEADERS,
  type HeaderDirection,
  headerGrantCovers,
} from './grants.ts';
import { findPolicyIssues } from './policy-issues.ts';
import {
  fetchLimitsFor,
  findCoveringCollectionLimit,
  findCoveringFetchLimit,
  type PolicyLimits,
} from './policy-limits.ts';
import { POLICY_FORMATS, POLICY_SCHEMA, type PolicyInput } from './policy-schema.ts';

/** Limits of an invocation: times in milliseconds of processor and of wall clock. 0 calls a minute: no limit. */
const DEFAULT_LIMITS: ModuleLimits = {
  cpuMs: 1000,
  wallMs: 5000,
  heapMb: 64,
  responseBytes: 10_485_760,
  logBytes: 65_536,
  hostCalls: 50,
  concurrency: 16,
  perMinute: 0,
};
/** Documents that one call of `Model` may return. */
const DEFAULT_MAX_RESULTS = 1000;
/** Headers that a module may see, and those that it may send. */
const DEFAULT_HEADERS = { request: DEFAULT_REQUEST_HEADERS, response: DEFAULT_RESPONSE_HEADERS };
/** What a grant for an origin allows. */
const DEFAULT_FETCH = {
  methods: ['GET'],
  paths: ['/'],
  maxBytes: 1_048_576,
  timeoutMs: 5000,
  headers: {},
};

const MAX_POLICY_CHARACTERS = 100_000;
const MAX_ERROR_ITEMS = 50;
interface PolicyParserDeps {
  readonly policyLimits: PolicyLimits;
  /** Bytes of a request body that the server takes at all. */
  readonly jsonBytes: number;
}

/** A valid policy. */
export interface Policy {
  /** What the admin put; undefined for the policy of a module without one. */
  readonly input: JsonObject | undefined;
  /** The text of its file, where it was read from one. */
  readonly text?: string;
  /** The effective policy of the module with this key. A quarantined module shares its process with no other. */
  resolve(id: string, quarantined: boolean): EffectivePolicy;
}

export interface PolicyParser {
  /** Rejects with POLICY_INVALID, each item with the path in `field`. */
  parse(value: unknown): Promise<Policy>;
  /** The policy of a module that has none. */
  readonly empty: Policy;
}

const policyError = (items: readonly ErrorItem[]) =>
  new AppError('POLICY_INVALID', {
    items: items.slice(0, MAX_ERROR_ITEMS).map((item) => ({ ...item, code: 'POLICY_INVALID' })),
  });

function assertPolicy(value: unknown, check: SchemaValidator, rules: PolicyParserDeps): PolicyInput {
  const issue = findJsonIssue(value);
  if (issue !== undefined) throw policyError([{ field: issue.path, message: issue.message }]);
  if ((JSON.stringify(value) ?? '').length > MAX_POLICY_CHARACTERS) {
    throw policyError([{ message: `A policy has at most ${MAX_POLICY_CHARACTERS} characters` }]);
  }
  const owned = typeof value === 'object' && value !== null && Object.hasOwn(value, 'code');
  if (owned) throw policyError([{ field: 'code', message: 'is written by the server and cannot be put' }]);
  const shape = check(POLICY_SCHEMA, value).map(({ path, message }) => ({ field: path, message }));
  if (shape.length > 0) throw policyError(shape);
  const input = value as PolicyInput;
  const problems = [...findPolicyIssues(input, rules.policyLimits)];
  if (problems.length > 0) throw policyError(problems.map(([field, message]) => ({ field, message })));
  return input;
}

function resolveLimits(given: PolicyInput['limits'], maximum: ModuleLimits): ModuleLimits {
  const minOf = (name: keyof ModuleLimits) => Math.min(given?.[name] ?? DEFAULT_LIMITS[name], maximum[name]);
  const perMinute = given?.perMinute ?? maximum.perMinute;
  return {
    cpuMs: minOf('cpuMs'),
    wallMs: minOf('wallMs'),
    heapMb: minOf('heapMb'),
    responseBytes: minOf('responseBytes'),
    logBytes: minOf('logBytes'),
    hostCalls: minOf('hostCalls'),
    concurrency: minOf('concurrency'),
    perMinute,
  };
}

function resolveHeaders(
  direction: HeaderDirection,
  given: readonly string[] | undefined,
  maximum: readonly string[],
): readonly string[] {
  const usual = DEFAULT_HEADERS[direction].filter((entry) =>
    maximum.some((limit) => headerGrantCovers(direction, limit, entry)),
  );
  return [...new Set(given ?? usual)];
}

/** Rounds of `bcrypt` where the policy asks for it and says no number. */
const DEFAULT_ROUNDS = 12;

const resolveRounds = (given: NonNullable<PolicyInput['grants']>['bcrypt'], maximum: number) =>
  given === undefined ? 0 : Math.min(given.maxRounds ?? DEFAULT_ROUNDS, maximum);

function resolveGrants(
  given: PolicyInput['grants'],
  { policyLimits, jsonBytes }: PolicyParserDeps,
): PolicyGrants {
  const { request, response, collections, bcrypt } = policyLimits.grants;
  const body = given?.request?.maxBodyBytes ?? jsonBytes;
  return {
    request: {
      headers: resolveHeaders('request', given?.request?.headers, request.headers),
      maxBodyBytes: Math.min(body, request.maxBodyBytes),
    },
    response: { headers: resolveHeaders('response', given?.response?.headers, response.headers) },
    collections: (given?.collections ?? []).map((grant) => {
      const limit = findCoveringCollectionLimit(grant, collections)?.maxResults ?? 0;
      return { as: 'caller', ...grant, maxResults: Math.min(grant.maxResults ?? DEFAULT_MAX_RESULTS, limit) };
    }),
    bcrypt: { maxRounds: resolveRounds(given?.bcrypt, bcrypt.maxRounds) },
    config: given?.config ?? {},
    fetch: (given?.fetch ?? []).map((grant) => {
      const entries = fetchLimitsFor(grant.origin, policyLimits);
      const limit = findCoveringFetchLimit(grant, entries);
      const named = entries.filter(({ origin }) => !origin.endsWith('*'));
      return {
        ...DEFAULT_FETCH,
        ...grant,
        ...(findCoveringFetchLimit(grant, named) === undefined ? { publicOnly: true } : {}),
        maxBytes: Math.min(grant.maxBytes ?? DEFAULT_FETCH.maxBytes, limit?.maxBytes ?? 0),
        timeoutMs: Math.min(grant.timeoutMs ?? DEFAULT_FETCH.timeoutMs, limit?.timeoutMs ?? 0),
      };
    }),
  };
}

function toPolicy(input: PolicyInput, given: JsonObject | undefined, rules: PolicyParserDeps): Policy {
  const grants = resolveGrants(input.grants, rules);
  const limits = resolveLimits(input.limits, rules.policyLimits.limits);
  const holdsSecret = grants.fetch.some(({ headers }) =>
    Object.values(headers).some((value) => value.startsWith('secret:')),
  );
  return {
    input: given,
    resolve(id, quarantined) {
      // Trust domains of policies cannot contain a colon.
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
 * Creates the parser. Defaults are limited by the policy limits like values. The schema validator is loaded at the first use.
 */
export function createPolicyParser(rules: PolicyParserDeps): PolicyParser {
  let check: Promise<SchemaValidator> | undefined;
  return {
    empty: toPolicy({}, undefined, rules),
    async parse(value) {
      check ??= createSchemaValidator({ annotations: [], formats: POLICY_FORMATS });
      const input = assertPolicy(value, await check, rules);
      return toPolicy(input, { version: 1, ...(value as JsonObject) }, rules);
    },
  };
}
