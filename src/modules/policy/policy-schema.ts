// The shape of a policy as an admin puts it: what an endpoint or a hook asks for. What is absent keeps its default.

import type { Isolation } from '../../../sandbox/protocol.ts';
import { isNamedClient } from '../../lib/client-names.ts';
import { HTTP_METHODS } from '../../lib/http/methods.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type {
  CollectionGrant,
  FetchGrant,
  ModelAction,
  ModuleLimits,
} from '../../sandbox-supervisor/model/module-version.ts';
import { isPrivilegedHeader, staysInFolder } from './grants.ts';

export const MODEL_ACTIONS: readonly ModelAction[] = ['find', 'count', 'create', 'update', 'delete', 'stats'];

/** A policy whose shape has been checked. */
export interface PolicyInput {
  readonly version?: 1;
  readonly isolation?: Isolation;
  readonly trustDomain?: string;
  readonly limits?: Partial<ModuleLimits>;
  readonly grants?: {
    readonly request?: { readonly headers?: readonly string[]; readonly maxBodyBytes?: number };
    readonly response?: { readonly headers?: readonly string[] };
    readonly collections?: readonly (Pick<CollectionGrant, 'name' | 'actions'> & Partial<CollectionGrant>)[];
    readonly fetch?: readonly (Pick<FetchGrant, 'origin'> & Partial<FetchGrant>)[];
    readonly bcrypt?: { readonly maxRounds?: number };
    readonly config?: JsonObject;
  };
}

/** Least values. Defaults are in `policy.ts`. */
const MIN_LIMITS = { cpuMs: 10, wallMs: 50, heapMb: 8, responseBytes: 1, logBytes: 1, hostCalls: 1 } as const;

/** More rounds of `bcrypt` than these no policy is granted: each doubles the time, and these take a second or two. */
const MAX_BCRYPT_ROUNDS = 14;

const whole = (minimum: number) => ({ type: 'integer', minimum });
const text = { type: 'string', minLength: 1, maxLength: 2000 };
const list = (items: object, maxItems: number) => ({ type: 'array', items, maxItems });
const some = (items: object, maxItems: number) => ({
  ...list(items, maxItems),
  minItems: 1,
  uniqueItems: true,
});
const closed = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const headers = list({ type: 'string', minLength: 1, maxLength: 100 }, 100);

/** JSON Schema of `PolicyInput`. */
export const POLICY_SCHEMA: object = closed({
  version: { type: 'integer', enum: [1] },
  isolation: { type: 'string', enum: ['realm', 'context', 'isolate'] },
  trustDomain: { type: 'string', format: 'trust-domain' },
  limits: closed({
    ...Object.fromEntries(Object.entries(MIN_LIMITS).map(([name, min]) => [name, whole(min)])),
    concurrency: whole(1),
    perMinute: whole(1),
  }),
  grants: closed({
    request: closed({ headers, maxBodyBytes: whole(1) }),
    response: closed({ headers }),
    collections: list(
      closed(
        {
          name: { type: 'string', format: 'collection' },
          actions: some({ type: 'string', enum: MODEL_ACTIONS }, MODEL_ACTIONS.length),
          as: { type: 'string', format: 'actor' },
          maxResults: whole(1),
        },
        ['name', 'actions'],
      ),
      200,
    ),
    fetch: list(
      closed(
        {
          origin: { type: 'string', format: 'origin' },
          methods: some({ type: 'string', enum: HTTP_METHODS }, HTTP_METHODS.length),
          paths: some({ type: 'string', format: 'path' }, 100),
          maxBytes: whole(1),
          timeoutMs: whole(1),
          headers: { type: 'object', additionalProperties: text },
        },
        ['origin'],
      ),
      50,
    ),
    bcrypt: closed({ maxRounds: { type: 'integer', minimum: 4, maximum: MAX_BCRYPT_ROUNDS } }),
    // What `Config.get` answers.
    config: { type: 'object', maxProperties: 200 },
  }),
});

function isPath(path: string): boolean {
  if (!path.startsWith('/') || path.startsWith('//') || path.length > 2000) return false;
  const url = URL.parse(path, 'http://origin');
  return url?.pathname === path && path.split('/').every(staysInFolder);
}

const PART = '[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}';
const COLLECTION = new RegExp(`^${PART}/${PART}/${PART}$`);

/** Whom a call of `Model` acts as. */
const isActor = (name: string): boolean => name === 'caller' || isNamedClient(name);

/** The text formats that the schema names. */
export const POLICY_FORMATS = {
  'trust-domain': {
    // The server's own domains have a colon or a space in their names.
    test: (name: string) => /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name),
    message: 'must be 1 to 64 letters, digits, dashes and underscores',
  },
  collection: {
    test: (name: string) => COLLECTION.test(name),
    message: 'must be `<version>/<database>/<collection>`',
  },
  actor: { test: isActor, message: 'must be `caller` or `client:<id>`' },
  origin: {
    test: (origin: string) => /^https?:[^*]+$/.test(origin) && URL.parse(origin)?.origin === origin,
    message:
      'must be scheme, host and port as a browser writes them, such as `https://api.example.com` or `http://10.0.0.1:8080`',
  },
  path: {
    test: isPath,
    message: 'must be a path as a browser writes it, without a query; ending in `/` it is a prefix',
  },
} as const;

/**
 * True for a policy that grants more than reading a request and answering it: collections, `fetch`, `bcrypt`, which takes
 * time of a thread that all modules share, headers that may carry credentials or affect more than this response, or a trust domain, which decides with which code a module shares processes
 * and whether it gets the compiler. Limits and body sizes are not privileged: the policy limits bound them.
 */
export function isPrivilegedPolicy({ grants, trustDomain }: PolicyInput | JsonObject): boolean {
  if (trustDomain !== undefined) return true;
  const given = grants as PolicyInput['grants'];
  for (const direction of ['request', 'response'] as const) {
    const headers = given?.[direction]?.headers ?? [];
    if (headers.some((entry) => isPrivilegedHeader(direction, entry))) return true;
  }
  const calls = [given?.collections, given?.fetch].some((list) => (list?.length ?? 0) > 0);
  return calls || given?.bcrypt !== undefined;
}
