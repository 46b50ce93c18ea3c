// The guest call `fetch`: parses the arguments of the guest, limits how many there are, and hides the reasons of rejected and failed
// requests from it.
import { isUtf8 } from 'node:buffer';
import { originOf } from '../lib/egress/addresses.ts';
import {
  FetchFailedError,
  type FetchFailedReason,
  FetchRefusedError,
  type FetchRefusedReason,
} from '../lib/egress/fetch-errors.ts';
import type { HeaderList, OutgoingRequest } from '../lib/egress/http-request.ts';
import type { Json, JsonObject } from '../lib/json/json.ts';
import type { ModuleVersion } from '../sandbox-supervisor/model/module-version.ts';
import { type Egress, type EgressResponse, parseGuestHeaders } from './egress.ts';
import { GuestCallError, getArgument } from './guest-call.ts';
import type { InvocationContext } from './model-scope.ts';

/** At a time, for one module. */
const MAX_ACTIVE_FETCHES = 64;
/** In a minute, for one module. */
const MAX_FETCHES_PER_MINUTE = 12_000;
const MINUTE_MS = 60_000;

interface FetchCount {
  active: number;
  since: number;
  begun: number;
}

interface FetchLimiter {
  /** Counts a fetch, or returns the limit that it would exceed. */
  acquire(key: string): 'concurrency' | 'rate' | undefined;
  /** Ends a counted fetch. */
  release(key: string): void;
}

/** Creates the limiter of all modules. `now` is in epoch milliseconds. */
export function createFetchLimiter(now: () => number): FetchLimiter {
  const counts = new Map<string, FetchCount>();

  const countOf = (key: string): FetchCount => {
    const time = now();
    const known = counts.get(key);
    if (known === undefined) {
      const fresh = { active: 0, since: time, begun: 0 };
      counts.set(key, fresh);
      return fresh;
    }
    if (time - known.since >= MINUTE_MS) {
      known.since = time;
      known.begun = 0;
    }
    return known;
  };

  return {
    acquire(key) {
      const count = countOf(key);
      if (count.active >= MAX_ACTIVE_FETCHES) return 'concurrency';
      if (count.begun >= MAX_FETCHES_PER_MINUTE) return 'rate';
      count.active += 1;
      count.begun += 1;
      return undefined;
    },
    release(key) {
      const count = counts.get(key);
      if (count === undefined) return;
      count.active -= 1;
      if (count.active === 0 && now() - count.since >= MINUTE_MS) counts.delete(key);
    },
  };
}

const MAX_URL_CHARACTERS = 8192;
const METHOD = /^[A-Z][A-Z-]{0,31}$/;
/** Methods that turn a connection into something else, or echo headers that the server added. */
const FORBIDDEN_METHODS: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK']);
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const NO_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD']);

interface FetchEvent<Reason> {
  readonly moduleVersion: ModuleVersion;
  readonly requestId: string;
  /** Scheme, host and port; empty when the guest sent no URL. */
  readonly origin: string;
  readonly reason: Reason;
}

interface FetchCallDeps {
  readonly egress: Egress;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Called for requests that the guard rejected: for the audit log. */
  readonly onRejected: (event: FetchEvent<FetchRefusedReason>) => void;
  /** Called for allowed requests without a response: for the log of the module. */
  readonly onFailure: (event: FetchEvent<FetchFailedReason>) => void;
}

/** Resolves with the JSON text of the answer. */
export type FetchCall = (
  args: JsonObject,
  context: InvocationContext,
  signal: AbortSignal,
) => Promise<string>;

const badArguments = (message: string) => new GuestCallError('BAD_ARGUMENTS', message);

function isPair(value: Json): value is readonly [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'string');
}

function getHeadersArgument(args: JsonObject): HeaderList {
  const headers = getArgument(args, 'headers') ?? [];
  if (Array.isArray(headers) && headers.every(isPair)) return headers;
  throw badArguments('The headers must be pairs of texts');
}

function getBodyArgument(args: JsonObject): Buffer | undefined {
  const body = getArgument(args, 'body');
  if (body === undefined) return undefined;
  if (typeof body !== 'string') throw badArguments('The body must be a text');
  if (getArgument(args, 'bodyEncoding') !== 'base64') return Buffer.from(body);
  if (!BASE64.test(body)) throw badArguments('The body must be base64');
  return Buffer.from(body, 'base64');
}

function getUrlArgument(args: JsonObject): URL {
  const text = getArgument(args, 'url');
  const url = typeof text === 'string' && text.length <= MAX_URL_CHARACTERS ? URL.parse(text) : null;
  if (url === null) throw new FetchRefusedError('url', '');
  return url;
}

/** Throws a GuestCallError for arguments of the wrong shape, and a rejection for what no policy could allow. */
function parseOutgoing(args: JsonObject): OutgoingRequest {
  const word = getArgument(args, 'method') ?? 'GET';
  const method = typeof word === 'string' ? word.toUpperCase() : '';
  const headers = getHeadersArgument(args);
  const body = getBodyArgument(args);
  if (!METHOD.test(method)) throw badArguments('The method must be a word');
  if (body !== undefined && NO_BODY.has(method)) throw badArguments(`A ${method} request has no body`);
  const url = getUrlArgument(args);
  const origin = originOf(url);
  if (FORBIDDEN_METHODS.has(method)) throw new FetchRefusedError('method', origin);
  return { url, method, headers: parseGuestHeaders(headers, origin), body };
}

function encodeResponse({ status, headers, body }: EgressResponse): string {
  const encoding = isUtf8(body) ? 'text' : 'base64';
  return JSON.stringify({
    status,
    headers,
    body: body.toString(encoding === 'text' ? 'utf8' : 'base64'),
    encoding,
  });
}

/** The name alone of `hook:name`. */
const nameOf = ({ id }: ModuleVersion) => id.slice(id.indexOf(':') + 1);

/**
 * Creates the guest call `fetch`. Arguments: `{url, method, headers, body, bodyEncoding}`; answer: `{status, headers, body, encoding}`.
 * Rejects with BAD_ARGUMENTS, FETCH_REFUSED, FETCH_FAILED or ABORTED, the last three always in the same words.
 */
export function createFetchCall({ egress, now, onRejected, onFailure }: FetchCallDeps): FetchCall {
  const limiter = createFetchLimiter(now);

  const fetchWithinLimits = async (
    outgoing: OutgoingRequest,
    { moduleVersion, reportsTo }: InvocationContext,
    signal: AbortSignal,
  ): Promise<string> => {
    const exceeded = limiter.acquire(moduleVersion.id);
    if (exceeded !== undefined) throw new FetchRefusedError(exceeded, originOf(outgoing.url));
    const { method, url } = outgoing;
    reportsTo?.addSent({ hook: nameOf(moduleVersion), method, path: url.pathname });
    try {
      return encodeResponse(await egress(moduleVersion.policy.grants.fetch, outgoing, signal));
    } finally {
      limiter.release(moduleVersion.id);
    }
  };

  return async (args, context, signal) => {
    const event = { moduleVersion: context.moduleVersion, requestId: context.requestId };
    let target = '';
    try {
      const outgoing = parseOutgoing(args);
      target = originOf(outgoing.url);
      return await fetchWithinLimits(outgoing, context, signal);
    } catch (error) {
      if (error instanceof FetchRefusedError) {
        onRejected({ ...event, origin: error.origin, reason: error.reason });
        throw new GuestCallError('FETCH_REFUSED', 'The policy of this module does not allow this request');
      }
      if (!(error instanceof FetchFailedError)) throw error;
      if (signal.aborted) throw new GuestCallError('ABORTED', 'The request is over');
      onFailure({ ...event, origin: target, reason: error.reason });
      throw new GuestCallError('FETCH_FAILED', 'The request brought no answer');
    }
  };
}
