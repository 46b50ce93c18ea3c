// The only way from posted code to the network: every hop covered by a grant, every address looked at, everything bounded.
import type { IncomingMessage } from 'node:http';
import { createAllowance, originOf } from '../../../lib/egress/addresses.ts';
import { readBody } from '../../../lib/egress/answer-body.ts';
import { createDestination } from '../../../lib/egress/destination.ts';
import { exchange, type Headers, type Outgoing } from '../../../lib/egress/exchange.ts';
import { FetchFailed, FetchRefused } from '../../../lib/egress/fetch-errors.ts';
import { inTime, orAborted } from '../../../lib/egress/in-time.ts';
import type { Names } from '../../../lib/egress/names.ts';
import type { FetchGrant } from '../../unit.ts';
import { matchGrant } from './grant-match.ts';
import { redirected } from './redirects.ts';
import { grantHeaders } from './request-headers.ts';

const MAX_REDIRECTS = 3;
/** Milliseconds until the headers of an answer, where the grant does not end it sooner. */
const HEADERS_MS = 10_000;

export interface EgressDeps {
  /** Hosts with ports that the operator opens, `egress.allow` of the ceilings. */
  readonly egressAllow: readonly string[];
  /** Secrets of the configuration by name. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly names: Names;
}

export interface Fetched {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** About the connection or the encoding, both gone by now. */
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

function headersOf(response: IncomingMessage): Headers {
  const lines = Object.entries(response.headersDistinct).filter(([name]) => !DROPPED.has(name));
  return lines.flatMap(([name, values = []]) =>
    // Cookies are the one header whose values cannot be joined.
    name === 'set-cookie'
      ? values.map((value) => [name, value] as const)
      : [[name, values.join(', ')] as const],
  );
}

function hasNoBody({ method }: Outgoing, { statusCode }: IncomingMessage): boolean {
  return method === 'HEAD' || statusCode === 204 || statusCode === 304;
}

interface Arrived {
  readonly grant: FetchGrant;
  readonly outgoing: Outgoing;
  readonly response: IncomingMessage;
}

async function received({ grant, outgoing, response }: Arrived): Promise<Fetched> {
  try {
    const body = hasNoBody(outgoing, response) ? Buffer.alloc(0) : await readBody(response, grant.maxBytes);
    return { status: response.statusCode ?? 0, headers: headersOf(response), body };
  } catch (error) {
    throw error instanceof FetchFailed ? error : new FetchFailed('broken', error);
  } finally {
    response.destroy();
  }
}

function coveringGrant(grants: readonly FetchGrant[], { url, method }: Outgoing): FetchGrant {
  const grant = matchGrant(grants, url, method);
  if (grant === undefined) throw new FetchRefused('grant', originOf(url));
  return grant;
}

export type Egress = (
  grants: readonly FetchGrant[],
  first: Outgoing,
  signal: AbortSignal,
) => Promise<Fetched>;

/** Makes the guarded fetch. Rejects with FetchRefused or FetchFailed; redirects are followed hop by hop, three at most. */
export function createEgress({ egressAllow, secrets, names }: EgressDeps): Egress {
  const destination = createDestination(names, createAllowance(egressAllow));

  const hop = async (outgoing: Outgoing, grant: FetchGrant, signal: AbortSignal) => {
    const own = grantHeaders(grant, secrets, originOf(outgoing.url));
    const addresses = await orAborted(destination(outgoing.url, grant.publicOnly), signal);
    const headersMs = Math.min(HEADERS_MS, grant.timeoutMs);
    const headers = [...outgoing.headers, ...own];
    return exchange({ ...outgoing, headers }, { addresses, signal, headersMs });
  };

  const follow = async (
    grants: readonly FetchGrant[],
    first: Outgoing,
    signal: AbortSignal,
  ): Promise<Arrived> => {
    let outgoing = first;
    for (let hops = 0; ; hops += 1) {
      const grant = coveringGrant(grants, outgoing);
      const response = await hop(outgoing, grant, signal);
      const next = redirected(response, outgoing);
      if (next === undefined) return { grant, outgoing, response };
      response.destroy();
      if (next === null || hops === MAX_REDIRECTS) {
        throw new FetchRefused('redirects', originOf(outgoing.url));
      }
      outgoing = next;
    }
  };

  return async (grants, first, aborted) => {
    const { timeoutMs } = coveringGrant(grants, first);
    return inTime({ timeoutMs, aborted }, async (signal) => received(await follow(grants, first, signal)));
  };
}
