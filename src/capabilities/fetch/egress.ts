// Guarded fetch, the only way from posted code to the network: every hop needs a grant, every address is checked, sizes and
// times are limited.

import type { IncomingMessage } from 'node:http';
import { createAllowedDestinations, originOf } from '../../lib/egress/addresses.ts';
import { createDestinationResolver, type HostResolver } from '../../lib/egress/destination.ts';
import { FetchFailedError, FetchRefusedError } from '../../lib/egress/fetch-errors.ts';
import {
  type HeaderList,
  type OutgoingRequest,
  readResponseBody,
  rejectOnAbort,
  sendRequest,
  withFetchTimeout,
} from '../../lib/egress/http-request.ts';
import { findFetchGrant } from '../../modules/policy/fetch-grant-match.ts';
import type { FetchGrant } from '../../sandbox-supervisor/model/module-version.ts';
import { crossOriginHeaders, omitBodyHeaders, resolveGrantHeaders } from './request-headers.ts';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** The target of a redirect; `null` for a location that is no URL. */
function targetOf(response: IncomingMessage, base: URL): URL | null | undefined {
  const { location } = response.headers;
  if (!REDIRECTS.has(response.statusCode ?? 0) || location === undefined) return undefined;
  // Header values arrive as Latin-1; what servers put there is UTF-8 by now.
  return URL.parse(Buffer.from(location, 'latin1').toString(), base);
}

function becomesGet(status: number | undefined, method: string): boolean {
  if (status === 303) return !READS.has(method);
  return (status === 301 || status === 302) && method === 'POST';
}

/**
 * The request that an answer asks for instead: undefined when it is no redirect, null when its location is no URL.
 * Headers of the guest that may be credentials do not go to another origin.
 */
function redirectRequest(
  response: IncomingMessage,
  sent: OutgoingRequest,
): OutgoingRequest | null | undefined {
  const url = targetOf(response, sent.url);
  if (!url) return url;
  const isElsewhere = originOf(url) !== originOf(sent.url);
  const headers = isElsewhere ? crossOriginHeaders(sent.headers) : sent.headers;
  if (!becomesGet(response.statusCode, sent.method)) return { ...sent, url, headers };
  return { url, method: 'GET', headers: omitBodyHeaders(headers), body: undefined };
}

const MAX_REDIRECTS = 3;
/** Milliseconds until the headers of an answer, where the grant does not end it sooner. */
const HEADERS_MS = 10_000;

export interface EgressDeps {
  /** `egress.allow` of the policy limits: hosts with ports whose addresses may be private. */
  readonly egressAllow: readonly string[];
  /** Secrets of the configuration by name. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly names: HostResolver;
}

export interface FetchResponse {
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
  readonly grant: FetchGrant;
  readonly outgoing: OutgoingRequest;
  readonly response: IncomingMessage;
}

async function readResponse({ grant, outgoing, response }: ReceivedResponse): Promise<FetchResponse> {
  try {
    const body = hasNoBody(outgoing, response)
      ? Buffer.alloc(0)
      : await readResponseBody(response, grant.maxBytes);
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
) => Promise<FetchResponse>;

/** Creates the guarded fetch. Rejects with FetchRefused or FetchFailed; redirects are followed hop by hop, three at most. */
export function createEgress({ egressAllow, secrets, names }: EgressDeps): Egress {
  const destination = createDestinationResolver(names, createAllowedDestinations(egressAllow));

  const hop = async (outgoing: OutgoingRequest, grant: FetchGrant, signal: AbortSignal) => {
    const granted = resolveGrantHeaders(grant, secrets, originOf(outgoing.url));
    const addresses = await rejectOnAbort(destination(outgoing.url, grant.publicOnly), signal);
    const headersMs = Math.min(HEADERS_MS, grant.timeoutMs);
    const headers = [...outgoing.headers, ...granted];
    return sendRequest({ ...outgoing, headers }, { addresses, signal, headersMs });
  };

  const follow = async (
    grants: readonly FetchGrant[],
    first: OutgoingRequest,
    signal: AbortSignal,
  ): Promise<ReceivedResponse> => {
    let outgoing = first;
    for (let hops = 0; ; hops += 1) {
      const grant = requireGrant(grants, outgoing);
      const response = await hop(outgoing, grant, signal);
      const next = redirectRequest(response, outgoing);
      if (next === undefined) return { grant, outgoing, response };
      response.destroy();
      if (next === null || hops === MAX_REDIRECTS) {
        throw new FetchRefusedError('redirects', originOf(outgoing.url));
      }
      outgoing = next;
    }
  };

  return async (grants, first, aborted) => {
    const { timeoutMs } = requireGrant(grants, first);
    return withFetchTimeout({ timeoutMs, aborted }, async (signal) =>
      readResponse(await follow(grants, first, signal)),
    );
  };
}
