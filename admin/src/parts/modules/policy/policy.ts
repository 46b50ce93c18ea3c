// A policy as it is put: its members, the defaults of those that are absent, and whether JSON has this shape at all. The server
// says whether it is valid.
import type { Json, JsonObject } from '../../../api/types.ts';

export const ISOLATIONS = ['realm', 'context', 'isolate'] as const;
export const MODEL_ACTIONS = ['find', 'count', 'create', 'update', 'delete', 'stats'] as const;
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

export const LIMITS = [
  'cpuMs',
  'wallMs',
  'heapMb',
  'responseBytes',
  'logBytes',
  'hostCalls',
  'concurrency',
  'perMinute',
] as const;
export type LimitName = (typeof LIMITS)[number];

/** What holds where a policy does not say it, or less where the policy limits of the operator are lower. */
export const DEFAULT_LIMITS: Readonly<Record<LimitName, number>> = {
  cpuMs: 1000,
  wallMs: 5000,
  heapMb: 64,
  responseBytes: 10_485_760,
  logBytes: 65_536,
  hostCalls: 50,
  concurrency: 16,
  perMinute: Number.POSITIVE_INFINITY,
};
export const DEFAULT_REQUEST_HEADERS = ['accept', 'accept-language', 'content-type', 'user-agent'];
export const DEFAULT_RESPONSE_HEADERS = [
  ...['content-type', 'content-language', 'content-disposition', 'cache-control', 'etag'],
  ...['last-modified', 'expires', 'location', 'vary', 'x-*'],
];
export const DEFAULT_MAX_RESULTS = 1000;
export const DEFAULT_FETCH_BYTES = 1_048_576;
export const DEFAULT_FETCH_MS = 5000;
export const DEFAULT_BCRYPT_ROUNDS = 12;
export const MIN_BCRYPT_ROUNDS = 4;

export interface CollectionGrant {
  readonly name: string;
  readonly actions: readonly string[];
  readonly as?: string;
  readonly maxResults?: number;
}

export interface FetchGrant {
  readonly origin: string;
  readonly methods?: readonly string[];
  readonly paths?: readonly string[];
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Hashes of passwords. */
export interface BcryptGrant {
  readonly maxRounds?: number;
}

export interface Policy {
  readonly version?: number;
  readonly isolation?: string;
  readonly trustDomain?: string;
  readonly limits?: Partial<Readonly<Record<LimitName, number>>>;
  readonly grants?: {
    readonly request?: { readonly headers?: readonly string[]; readonly maxBodyBytes?: number };
    readonly response?: { readonly headers?: readonly string[] };
    readonly collections?: readonly CollectionGrant[];
    readonly fetch?: readonly FetchGrant[];
    readonly bcrypt?: BcryptGrant;
    /** An object; a text that is no JSON while it is written. */
    readonly config?: Json;
  };
}

type Test = (value: Json) => boolean;

const isText: Test = (value) => typeof value === 'string';
const isNumber: Test = (value) => typeof value === 'number';
const isList =
  (item: Test): Test =>
  (value) =>
    Array.isArray(value) && value.every(item);
const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** Members may be absent; those in `needed` not. */
const isShaped =
  (tests: Readonly<Record<string, Test>>, needed: readonly string[] = []): Test =>
  (value) =>
    isObject(value) &&
    needed.every((name) => Object.hasOwn(value, name)) &&
    Object.entries(tests).every(([name, test]) => value[name] === undefined || test(value[name]));

const isPolicyShape = isShaped({
  version: isNumber,
  isolation: isText,
  trustDomain: isText,
  limits: isShaped(Object.fromEntries(LIMITS.map((name) => [name, isNumber]))),
  grants: isShaped({
    request: isShaped({ headers: isList(isText), maxBodyBytes: isNumber }),
    response: isShaped({ headers: isList(isText) }),
    collections: isList(
      isShaped({ name: isText, actions: isList(isText), as: isText, maxResults: isNumber }, [
        'name',
        'actions',
      ]),
    ),
    fetch: isList(
      isShaped(
        {
          origin: isText,
          methods: isList(isText),
          paths: isList(isText),
          maxBytes: isNumber,
          timeoutMs: isNumber,
          headers: (value) => isObject(value) && Object.values(value).every(isText),
        },
        ['origin'],
      ),
    ),
    bcrypt: isShaped({ maxRounds: isNumber }),
  }),
});

/** JSON as a policy; undefined where its shape is another. */
export const toPolicy = (value: Json | undefined): Policy | undefined =>
  value !== undefined && isPolicyShape(value) ? (value as Policy) : undefined;

export function parsePolicy(text: string): Policy | undefined {
  try {
    return toPolicy(JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}

export const writePolicy = (policy: Policy | JsonObject): string => JSON.stringify(policy, null, 2);

/** What was put: without what the server adds to it. */
export function withoutCode({ code: _, ...policy }: JsonObject): JsonObject {
  return policy;
}

export const limitOf = ({ limits }: Policy, name: LimitName): number =>
  limits?.[name] ?? DEFAULT_LIMITS[name];
