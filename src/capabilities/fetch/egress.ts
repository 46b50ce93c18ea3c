// Guarded fetch, the only way from posted code to the network: every hop needs a grant, every address is checked, sizes and
// times are limited.
import type { IncomingMessage } from 'node:http';
import { rejectOnAbort, withFetchTimeout } from '../../lib/egress/abort.ts';
import { createAllowedDestinations, originOf } from '../../lib/egress/addresses.ts';
import { createDestinationResolver } from '../../lib/egress/destination.ts';
import type { HostResolver } from '../../lib/egress/dns.ts';
import { FetchFailedError, FetchRefusedError } from '../../lib/egress/fetch-errors.ts';
import { type HeaderList, type OutgoingRequest, sendRequest } from '../../lib/egress/http-request.ts';
import { readResponseBody } from '../../lib/egress/response-body.ts';
import { findFetchGrant } from '../../modules/policy/fetch-grant-match.ts';
import type { FetchGrant } from '../../sandbox-supervisor/model/module-version.ts';
import { redirectRequest } from './redirects.ts';
import { resolveGrantHeaders } from './request-headers.ts';

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
