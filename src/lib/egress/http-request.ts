// One request and its answer, to addresses that were checked before. It follows nothing and keeps no connection.
import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { http, https } from '../http/node-http.ts';
import { bareHost, portOf } from './addresses.ts';
import type { ResolvedAddress } from './dns.ts';
import { FetchFailedError } from './fetch-errors.ts';
import { ACCEPT_ENCODING } from './response-body.ts';

const MAX_HEADER_BYTES = 16 * 1024;
const BODY_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** Names and values, in order. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

export interface OutgoingRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: HeaderList;
  readonly body: Buffer | undefined;
}

interface ExchangeOptions {
  /** Where to connect; the name stays in `Host` and in the certificate's check. */
  readonly addresses: readonly ResolvedAddress[];
  /** Ends everything, the answer's body included. */
  readonly signal: AbortSignal;
  /** Milliseconds until the answer's headers. */
  readonly headersMs: number;
}

/** Gives what was looked up already, whatever is asked. */
function pinned(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_name, { all }, callback) => {
    const [first] = addresses;
    if (all === true) callback(null, [...addresses]);
    else if (first === undefined) callback(new Error('no address'), '');
    else callback(null, first.address, first.family);
  };
}

function headersOf({ url, method, headers, body }: OutgoingRequest): Record<string, string> {
  const host = bareHost(url.hostname);
  const shown = host.includes(':') ? `[${host}]` : host;
  const length = body?.length ?? (BODY_METHODS.has(method) ? 0 : undefined);
  return {
    host: url.port === '' ? shown : `${shown}:${url.port}`,
    'accept-encoding': ACCEPT_ENCODING,
    ...Object.fromEntries(headers),
    ...(length === undefined ? {} : { 'content-length': String(length) }),
  };
}

function open(outgoing: OutgoingRequest, { addresses, signal }: ExchangeOptions) {
  const { url, method } = outgoing;
  const options = {
    hostname: bareHost(url.hostname),
    port: portOf(url),
    path: `${url.pathname}${url.search}`,
    method,
    headers: headersOf(outgoing),
    setHost: false,
    lookup: pinned(addresses),
    maxHeaderSize: MAX_HEADER_BYTES,
    signal,
  };
  // An agent for each request: nothing is kept, shared, or sent through a proxy of the environment.
  return url.protocol === 'https:'
    ? https.request({ ...options, agent: new https.Agent({ keepAlive: false }), rejectUnauthorized: true })
    : http.request({ ...options, agent: new http.Agent({ keepAlive: false }) });
}

/**
 * Sends a request and resolves when the headers of its answer are there. The body is still to be read, or destroyed.
 * Rejects with FetchFailed.
 */
export function sendRequest(outgoing: OutgoingRequest, options: ExchangeOptions): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = open(outgoing, options);
  const late = setTimeout(() => sent.destroy(new FetchFailedError('timeout')), options.headersMs);
  const fail = (cause?: unknown) =>
    reject(cause instanceof FetchFailedError ? cause : new FetchFailedError('connection', cause));
  sent.on('response', (response) => {
    clearTimeout(late);
    resolve(response);
  });
  // An answer to a wish that was never uttered.
  sent.on('upgrade', (_response, socket) => {
    socket.destroy();
    fail();
  });
  sent.on('error', fail);
  sent.on('close', () => {
    clearTimeout(late);
    fail();
  });
  sent.end(outgoing.body);
  return promise;
}
