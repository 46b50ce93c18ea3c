// Policy limits: the upper bound of the policies of all endpoints and hooks, and what of a policy they cover. Only who can write
// the file can raise them.
import { readFile } from 'node:fs/promises';
import { AppError } from '../../errors/errors.ts';
import { bareHostname, createAllowedDestinations, portOf } from '../../lib/egress/addresses.ts';
import { HTTP_METHODS } from '../../lib/http/methods.ts';
import { findJsonIssue, isJsonObject, type Json } from '../../lib/json/json.ts';
import { createSchemaValidator, type SchemaValidator } from '../../lib/json/json-schema.ts';
import { describeSyntaxError, parseJsonText } from '../../lib/json/json-syntax.ts';
import type {
  CollectionGrant,
  FetchGrant,
  ModuleLimits,
} from '../../sandbox-supervisor/model/module-version.ts';
import { MODEL_ACTIONS, POLICY_FORMATS } from './policy-schema.ts';

export interface FetchLimit extends Omit<FetchGrant, 'headers' | 'publicOnly'> {
  /** Undefined: any text, but no secret. */
  readonly headers?: FetchGrant['headers'];
}

export interface PolicyLimits {
  /** Greatest values. `perMinute` 0: no bound. */
  readonly limits: ModuleLimits;
  readonly grants: {
    readonly request: { readonly headers: readonly string[]; readonly maxBodyBytes: number };
    readonly response: { readonly headers: readonly string[] };
    /** Names may end in `*`; `as` may be `client:*`. */
    readonly collections: readonly CollectionGrant[];
    /** Origins may be `https://*` or `http://*`. */
    readonly fetch: readonly FetchLimit[];
    /** Most rounds of `bcrypt`; 0: nobody is granted it. */
    readonly bcrypt: { readonly maxRounds: number };
  };
  /** Hosts whose addresses may be private or loopback: `127.0.0.1:9000`. What is reached there, `grants.fetch` says. */
  readonly egress: { readonly allow: readonly string[] };
}

/** The file as it is written: whatever is absent has a default. */
interface PolicyLimitsInput {
  readonly limits?: Partial<ModuleLimits>;
  readonly grants?: {
    readonly request?: Partial<PolicyLimits['grants']['request']>;
    readonly response?: Partial<PolicyLimits['grants']['response']>;
    readonly collections?: readonly (Pick<CollectionGrant, 'name'> & Partial<CollectionGrant>)[];
    readonly fetch?: readonly (Pick<FetchLimit, 'origin'> & Partial<FetchLimit>)[];
    readonly bcrypt?: Partial<PolicyLimits['grants']['bcrypt']>;
  };
  readonly egress?: Partial<PolicyLimits['egress']>;
}

const COLLECTION = { actions: MODEL_ACTIONS, as: 'caller', maxResults: 1000 };
const FETCH = { methods: HTTP_METHODS, paths: ['/'], maxBytes: 10_485_760, timeoutMs: 30_000 };
const HOSTNAME_AND_PORT = /^(?:\[[0-9a-f:.]+\]|[a-z0-9.-]+):[1-9][0-9]{0,4}$/;
const FORMATS = {
  'host-and-port': {
    test: (text: string) => HOSTNAME_AND_PORT.test(text),
    message: 'must be a host and a port, such as `127.0.0.1:9000` or `[::1]:9000`',
  },
  'fetch-origin': {
    test: (text: string) =>
      /^https?:\/\/\*$/.test(text) || (/^https?:[^*]+$/.test(text) && URL.parse(text)?.origin === text),
    message: 'must be an origin such as `https://api.example.com`, or `https://*`',
  },
  'limit-path': {
    test: (text: string) => POLICY_FORMATS.path.test(text) && !text.includes('*'),
    message: 'must be a path without a query or `*`; ending in `/` it is a prefix',
  },
  'limit-actor': {
    test: (text: string) => text === 'client:*' || POLICY_FORMATS.actor.test(text),
    message: 'must be `caller`, `client:<id>` or `client:*`',
  },
};

async function readJson(file: string | URL): Promise<Json> {
  const shown = file instanceof URL ? file.pathname : file;
  const limitsError = (what: string, cause?: unknown) =>
    new AppError('CONFIGURATION_INVALID', { message: `The policy limits in ${shown} ${what}`, cause });
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw limitsError('cannot be read', cause);
  });
  const parsed = parseJsonText(text);
  if ('value' in parsed) return parsed.value;
  throw limitsError(`are wrong: the file ${describeSyntaxError(parsed.error)}`);
}

/** Throws CONFIGURATION_INVALID, each item with the path in `field`. */
function assertPolicyLimits(check: SchemaValidator, schema: object, value: Json): PolicyLimitsInput {
  const issue = findJsonIssue(value);
  const problems = issue === undefined ? check(schema, value) : [issue];
  const items = problems.map(({ path, message }) => ({ field: path, message }));
  if (items.length > 0) throw new AppError('CONFIGURATION_INVALID', { items });
  return value as PolicyLimitsInput;
}

function merge(given: PolicyLimitsInput, base: PolicyLimitsInput): PolicyLimits {
  const grants = { ...base.grants, ...given.grants };
  const egress = { allow: [], ...base.egress, ...given.egress };
  return {
    limits: { ...base.limits, ...given.limits } as ModuleLimits,
    grants: {
      request: { ...base.grants?.request, ...grants.request } as PolicyLimits['grants']['request'],
      response: { ...base.grants?.response, ...grants.response } as PolicyLimits['grants']['response'],
      collections: (grants.collections ?? []).map((entry) => ({ ...COLLECTION, ...entry })),
      fetch: (grants.fetch ?? []).map((entry) => ({ ...FETCH, ...entry })),
      bcrypt: { maxRounds: 0, ...base.grants?.bcrypt, ...grants.bcrypt },
    },
    egress,
  };
}

/**
 * Reads the policy limits of the operator, the packaged ones without `file`. What a file leaves out is as in the packaged one.
 * `folder`: the packaged `sandbox/`, with a slash at its end. Throws CONFIGURATION_INVALID naming every problem.
 */
export async function loadPolicyLimits(folder: URL, file?: string): Promise<PolicyLimits> {
  const packaged = (await readJson(new URL('policy.json', folder))) as PolicyLimitsInput;
  if (file === undefined) return merge({}, packaged);
  const own = await readJson(file);
  const schema = await readJson(new URL('policy.schema.json', folder));
  if (!isJsonObject(schema)) throw new Error('the schema of the policy limits is no object');
  const check = await createSchemaValidator({ annotations: [], formats: FORMATS });
  return merge(assertPolicyLimits(check, schema, own), packaged);
}

/** The policy limits without what may be a secret. */
export interface ShownPolicyLimits {
  /** `perMinute` 0: no bound. */
  readonly limits: ModuleLimits;
  readonly grants: Omit<PolicyLimits['grants'], 'fetch'> & {
    /** A header is shown with the name of a secret, `secret:NAME`; any other value of it as null. */
    readonly fetch: readonly (Omit<FetchLimit, 'headers'> & {
      readonly headers?: Readonly<Record<string, string | null>>;
    })[];
  };
}

/** The policy limits as clients may see them who write or review policies. */
export function showPolicyLimits({ limits, grants }: PolicyLimits): ShownPolicyLimits {
  const { request, response, collections, bcrypt } = grants;
  const shown = (value: string) => (value.startsWith('secret:') ? value : null);
  const fetch = grants.fetch.map(({ headers, ...limit }) => {
    if (headers === undefined) return limit;
    const named = Object.entries(headers).map(([name, value]) => [name, shown(value)] as const);
    return { ...limit, headers: Object.fromEntries(named) };
  });
  return { limits, grants: { request, response, collections, fetch, bcrypt } };
}

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

const COLLECTION_TESTS: MemberTests<CollectionGrant, CollectionGrant> = [
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

const FETCH_TESTS: MemberTests<FetchGrant, FetchLimit> = [
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
  return exceededMember(COLLECTION_TESTS, requested, limits);
}

/**
 * The entries of the policy limits that may cover a grant for this origin. `https://*` stands for every public host: a host of
 * `egress.allow` is covered by entries that name it, so that the operator can narrow what is reached there.
 */
export function fetchLimitsFor(origin: string, { grants, egress }: PolicyLimits): readonly FetchLimit[] {
  const url = URL.parse(origin);
  const isPrivate =
    url !== null && createAllowedDestinations(egress.allow)(bareHostname(url.hostname), portOf(url));
  return isPrivate ? grants.fetch.filter((limit) => !limit.origin.endsWith('*')) : grants.fetch;
}

/** The member of a fetch grant that exceeds the policy limits, if any. */
export function exceededFetchMember(
  requested: RequestedGrant<FetchGrant>,
  limits: readonly FetchLimit[],
): string | undefined {
  return exceededMember(FETCH_TESTS, requested, limits);
}

/** The first entry that covers the grant: its numbers limit the defaults of the grant. */
export function findCoveringFetchLimit(
  requested: RequestedGrant<FetchGrant>,
  limits: readonly FetchLimit[],
): FetchLimit | undefined {
  return limits.find((limit) => FETCH_TESTS.every(([, fits]) => fits(requested, limit)));
}

/** The first entry that covers the grant of a collection. */
export function findCoveringCollectionLimit(
  requested: RequestedGrant<CollectionGrant>,
  limits: readonly CollectionGrant[],
): CollectionGrant | undefined {
  return limits.find((limit) => COLLECTION_TESTS.every(([, fits]) => fits(requested, limit)));
}
