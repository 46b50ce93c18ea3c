// Sends one request to resolved addresses and reads its response: no redirects, no kept connections, limits of time and size.

import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { waitUnlessAborted } from '../async/timeout.ts';
import { methodTraits } from '../http/methods.ts';
import { http, https } from '../http/node-http.ts';
import { bareHostname, portOf } from './addresses.ts';
import type { ResolvedAddress } from './destination.ts';
import { FetchFailedError, FetchRefusedError } from './fetch-errors.ts';

const FIRST_BYTES = 16 * 1024;

type Decoder = ReturnType<typeof createGunzip>;

const DECODERS: ReadonlyMap<string, () => Decoder> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress as () => Decoder],
  ['zstd', createZstdDecompress as () => Decoder],
]);

/** What requests accept. `deflate` is understood too, but servers do not agree on what it means. */
const ACCEPT_ENCODING = 'gzip, br, zstd';

function decoderOf(response: IncomingMessage): Decoder | undefined {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return undefined;
  const create = DECODERS.get(encoding);
  if (create === undefined) throw new FetchFailedError('encoding');
  return create();
}

/** Passes on the first `maxBytes` bytes: a small compressed body may expand without end. */
function bounded(maxBytes: number) {
  return async function* (source: AsyncIterable<Buffer>) {
    let left = maxBytes;
    for await (const chunk of source) {
      left -= chunk.length;
      if (left < 0) throw new FetchFailedError('too-large');
      yield chunk;
    }
  };
}

/** Copies into one buffer that grows: a list of a million tiny chunks would cost a hundred times their size. */
function collected(maxBytes: number) {
  return async (source: AsyncIterable<Buffer>): Promise<Buffer> => {
    let held = Buffer.allocUnsafeSlow(Math.min(maxBytes, FIRST_BYTES));
    let size = 0;
    for await (const chunk of source) {
      const needed = size + chunk.length;
      if (needed > maxBytes) throw new FetchFailedError('too-large');
      if (needed > held.length) {
        const larger = Buffer.allocUnsafeSlow(Math.min(maxBytes, Math.max(needed, held.length * 2)));
        held.copy(larger, 0, 0, size);
        held = larger;
      }
      size += chunk.copy(held, size);
    }
    return held.subarray(0, size);
  };
}

/**
 * Reads a body to its end. Rejects with FetchFailedError when it is larger than `maxBytes`, compressed or not, or compressed in
 * a way that is not known; with the stream's error when it breaks off.
 */
export async function readResponseBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const decoder = decoderOf(response);
  if (decoder === undefined) return pipeline(response, collected(maxBytes));
  return pipeline(response, bounded(maxBytes), decoder, collected(maxBytes));
}

const MAX_HEADER_BYTES = 16 * 1024;

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
  const hostname = bareHostname(url.hostname);
  const shown = hostname.includes(':') ? `[${hostname}]` : hostname;
  const length = body?.length ?? (methodTraits(method)?.definesBody ? 0 : undefined);
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
    hostname: bareHostname(url.hostname),
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
 * Rejects with FetchFailedError.
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

interface FetchTime {
  readonly timeoutMs: number;
  readonly aborted: AbortSignal;
}

/**
 * Runs `task` with a signal that is aborted with `aborted` or after the timeout. A failure after that rejects with a
 * FetchFailedError `timeout`.
 */
export async function withFetchTimeout<T>(
  { timeoutMs, aborted }: FetchTime,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const end = () => controller.abort();
  const timer = setTimeout(end, timeoutMs);
  aborted.addEventListener('abort', end);
  if (aborted.aborted) end();
  try {
    return await task(controller.signal);
  } catch (error) {
    if (error instanceof FetchRefusedError || !controller.signal.aborted) throw error;
    throw new FetchFailedError('timeout', error);
  } finally {
    clearTimeout(timer);
    aborted.removeEventListener('abort', end);
  }
}

/** Settles as `promise` does, or rejects with a FetchFailedError `timeout` as soon as `signal` is aborted. */
export function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return waitUnlessAborted(promise, signal, () => new FetchFailedError('timeout'));
}
