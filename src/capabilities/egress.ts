// Guarded fetch, the only way from posted code to the network: every hop needs a grant, every address is checked, the guest sets
// few headers, sizes and times are limited.
import type { IncomingMessage } from 'node:http';
import { createAllowedDestinations, originOf } from '../lib/egress/addresses.ts';
import { createDestinationResolver, type NameResolver } from '../lib/egress/destination.ts';
import { FetchFailedError, FetchRefusedError } from '../lib/egress/fetch-errors.ts';
import {
  type HeaderList,
  type OutgoingRequest,
  readResponseBody,
  rejectOnAbort,
  sendRequest,
  withFetchTimeout,
} from '../lib/egress/http-request.ts';
import { followRedirects } from '../lib/egress/redirects.ts';
import { findFetchGrant } from '../modules/policy/grants.ts';
import type { FetchGrant } from '../sandbox-supervisor/model/module-version.ts';

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const MAX_HEADERS = 50;
const MAX_HEADER_CHARACTERS = 16 * 1024;
const SECRET = 'secret:';

/** Headers of message framing and of the connection: only the server sets them. */
const FRAMING: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers that identify the sender or another party: only a grant sets them. */
const GRANTED_ONLY =
  /^(?:accept-encoding|authorization|cookie2?|date|forwarded|host|origin|referer|via|x-forwarded-.*|x-real-ip|proxy-.*|sec-.*)$/;

/** Headers that are kept for another origin: the guest's other headers may be credentials. */
const CROSS_ORIGIN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'content-language',
  'content-type',
  'user-agent',
]);

/** The headers of a redirected request to another origin. */
export function crossOriginHeaders(headers: HeaderList): HeaderList {
  return headers.filter(([name]) => CROSS_ORIGIN_HEADERS.has(name));
}

/** The headers of a redirected request that loses its body. */
export function omitBodyHeaders(headers: HeaderList): HeaderList {
  return headers.filter(([name]) => !name.startsWith('content-'));
}

/** The guest's headers, names in lower case. Throws FetchRefusedError for more, larger or other ones than it may set. */
export function parseGuestHeaders(list: HeaderList, origin: string): HeaderList {
  const headers = list.map(([name, value]) => [name.toLowerCase(), value.trim()] as const);
  const characters = headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  const fit = ([name, value]: readonly [string, string]) =>
    VALUE.test(value) && !FRAMING.has(name) && !GRANTED_ONLY.test(name);
  // Names are tested before they are lowered: a few letters outside ASCII become ASCII by that.
  const isValid = list.every(([name]) => TOKEN.test(name)) && headers.every(fit);
  if (!isValid || headers.length > MAX_HEADERS || characters > MAX_HEADER_CHARACTERS) {
    throw new FetchRefusedError('header', origin);
  }
  return headers;
}

function resolveSecret(value: string, secrets: Readonly<Record<string, string>>): string | undefined {
  if (!value.startsWith(SECRET)) return value;
  const name = value.slice(SECRET.length);
  return Object.hasOwn(secrets, name) ? secrets[name] : undefined;
}

/** The headers of a grant, its secrets filled in. Throws FetchRefusedError where the operator has not set a secret. */
export function resolveGrantHeaders(
  grant: FetchGrant,
  secrets: Readonly<Record<string, string>>,
  origin: string,
): HeaderList {
  return Object.entries(grant.headers).map(([written, text]) => {
    const name = written.toLowerCase();
    if (!TOKEN.test(written) || FRAMING.has(name)) throw new FetchRefusedError('header', origin);
    const value = resolveSecret(text, secrets);
    if (value === undefined || !VALUE.test(value)) throw new FetchRefusedError('secret', origin);
    return [name, value] as const;
  });
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

function becomesGet(status: number | undefined, method: string): boolean {
  if (status === 303) return !READS.has(method);
  return (status === 301 || status === 302) && method === 'POST';
}

/** The request to where an answer sends on to. Headers of the guest that may be credentials do not go to another origin. */
function redirectedRequest(sent: OutgoingRequest, url: URL, status: number | undefined): OutgoingRequest {
  const isElsewhere = originOf(url) !== originOf(sent.url);
  const headers = isElsewhere ? crossOriginHeaders(sent.headers) : sent.headers;
  if (!becomesGet(status, sent.method)) return { ...sent, url, headers };
  return { url, method: 'GET', headers: omitBodyHeaders(headers), body: undefined };
}

/** Milliseconds until the headers of an answer, where the grant does not end it sooner. */
const HEADERS_MS = 10_000;

export interface EgressDeps {
  /** `egress.allow` of the policy limits: hosts with ports whose addresses may be private. */
  readonly egressAllow: readonly string[];
  /** Secrets of the configuration by name. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly names: NameResolver;
}

export interface EgressResponse {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: Buffer;
}

/** Headers about the connection or the encoding: the guest sees neither. */
const DROPPED: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'proxy-authenticate',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

function headersOf(response: IncomingMessage): HeaderList {
  const lines = Object.entries(response.headersDistinct).filter(([name]) => !DROPPED.has(name));
  return lines.flatMap(([name, values = []]) =>
    // Values of Set-Cookie cannot be joined.
    name === 'set-cookie'
      ? values.map((value) => [name, value] as const)
      : [[name, values.join(', ')] as const],
  );
}

function hasNoBody({ method }: OutgoingRequest, { statusCode }: IncomingMessage): boolean {
  return method === 'HEAD' || statusCode === 204 || statusCode === 304;
}

interface ReceivedResponse {
  readonly outgoing: OutgoingRequest;
  readonly response: IncomingMessage;
}

async function readResponse(
  { outgoing, response }: ReceivedResponse,
  { maxBytes }: FetchGrant,
): Promise<EgressResponse> {
  try {
    const body = hasNoBody(outgoing, response) ? Buffer.alloc(0) : await readResponseBody(response, maxBytes);
    return { status: response.statusCode ?? 0, headers: headersOf(response), body };
  } catch (error) {
    throw error instanceof FetchFailedError ? error : new FetchFailedError('broken', error);
  } finally {
    response.destroy();
  }
}

function requireGrant(grants: readonly FetchGrant[], { url, method }: OutgoingRequest): FetchGrant {
  const grant = findFetchGrant(grants, url, method);
  if (grant === undefined) throw new FetchRefusedError('grant', originOf(url));
  return grant;
}

export type Egress = (
  grants: readonly FetchGrant[],
  first: OutgoingRequest,
  signal: AbortSignal,
) => Promise<EgressResponse>;

/** Creates the guarded fetch. It follows three redirects at most. Rejects with FetchRefusedError or FetchFailedError. */
export function createEgress({ egressAllow, secrets, names }: EgressDeps): Egress {
  const destination = createDestinationResolver(names, createAllowedDestinations(egressAllow));

  const hop = async (outgoing: OutgoingRequest, grant: FetchGrant, signal: AbortSignal) => {
    const granted = resolveGrantHeaders(grant, secrets, originOf(outgoing.url));
    const addresses = await rejectOnAbort(destination(outgoing.url, grant.publicOnly), signal);
    const headersMs = Math.min(HEADERS_MS, grant.timeoutMs);
    const headers = [...outgoing.headers, ...granted];
    return sendRequest({ ...outgoing, headers }, { addresses, signal, headersMs });
  };

  return async (grants, first, aborted) => {
    let grant = requireGrant(grants, first);
    return withFetchTimeout({ timeoutMs: grant.timeoutMs, aborted }, async (signal) => {
      const received = await followRedirects(first, {
        send(outgoing) {
          grant = requireGrant(grants, outgoing);
          return hop(outgoing, grant, signal);
        },
        redirect: redirectedRequest,
      });
      return readResponse(received, grant);
    });
  };
}
