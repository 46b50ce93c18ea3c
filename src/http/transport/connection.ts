// One connection of a client: serves its requests in order, times out in both directions, and closes so that the client can
// read the last response.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { onceClosed } from '../../lib/async/ownership.ts';
import type { RawResponse } from './raw-responses.ts';
import { RequestObservation, type RequestObservationOptions } from './request-observation.ts';
import { SendProgress } from './send-progress.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Limits of reading an unused request body after its response. */
export interface DiscardLimits {
  readonly bytes: number;
  /** Without a byte. */
  readonly idleMs: number;
  readonly totalMs: number;
}

export interface HttpConnectionOptions {
  readonly handle: Handler;
  readonly isSurplus: boolean;
  readonly discard: DiscardLimits;
  /** How long the client may read nothing while a response is unsent. */
  readonly sendTimeoutMs: number;
  /** Bytes a second that the client has to read, on average over `sendTimeoutMs`, while a response is unsent. */
  readonly minBytesPerSecond: number;
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number;
  /** Called with every change of `unsentBytes`. */
  readonly onUnsentChange: (difference: number) => void;
  /** Undefined where requests are not counted. */
  readonly onAnswered?: RequestObservationOptions['onAnswered'] | undefined;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The client sends the body after a `100 Continue`. */
  readonly expectsContinue?: boolean;
}

/** When the client last sent something, and the position then. */
interface Progress {
  at: number;
  position: number;
}

interface Discard extends Progress {
  /** When the response was sent. */
  since: number;
  readonly lastByte: number;
}

/** A request without these has no body (RFC 9112, 6.3), though Node counts it as incomplete while a handler runs. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

const READ_METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

const CONNECTION = Symbol('connection');

interface TrackedSocket extends Socket {
  [CONNECTION]?: HttpConnection | undefined;
}

/** The connection of a socket until it is closed; undefined for one that is not tracked. */
export const connectionOf = (socket: TrackedSocket): HttpConnection | undefined => socket[CONNECTION];

export class HttpConnection {
  readonly #socket: Socket;
  readonly #options: HttpConnectionOptions;
  readonly #waiting: Exchange[] = [];
  readonly #sending: SendProgress;
  readonly #observation: RequestObservation | undefined;
  #current: Exchange | undefined;
  #lastMethod: string | undefined;
  #discard: Discard | undefined;
  #finalResponse: RawResponse | undefined;
  #requestCount = 0;
  #isEnding = false;
  #unsent = 0;
  #timesItself = false;

  /** True for a connection over the limit. */
  readonly isSurplus: boolean;

  constructor(socket: TrackedSocket, options: HttpConnectionOptions) {
    socket[CONNECTION] = this;
    this.isSurplus = options.isSurplus;
    this.#socket = socket;
    this.#options = options;
    const { now, sendTimeoutMs: windowMs, minBytesPerSecond, onAnswered } = options;
    this.#sending = new SendProgress(socket, {
      now,
      windowMs,
      leastBytes: (minBytesPerSecond * windowMs) / 1000,
    });
    this.#observation = onAnswered && new RequestObservation({ now, onAnswered });
    const destroySoon = socket.destroySoon.bind(socket);
    // Node calls it after a response that closes the connection. It would close the socket while the client still writes; the
    // reset that follows can overtake the response.
    socket.destroySoon = () => {
      const { request } = this.#current ?? {};
      if (request?.complete !== false && this.#waiting.length === 0) destroySoon();
      else this.#end();
    };
    // After a read the end of the client's side means that it has gone.
    socket.once('end', () => {
      if (this.#lastMethod === undefined || READ_METHODS.has(this.#lastMethod)) socket.end();
    });
    socket.once('close', () => {
      socket[CONNECTION] = undefined;
      this.#waiting.length = 0;
      this.release(this.#unsent);
    });
  }

  /** Bytes of the response that the socket has not taken yet. */
  get unsentBytes(): number {
    return this.#unsent;
  }

  /** How many requests have come so far, and whether the last one has arrived with its body. */
  arrived(): { readonly count: number; readonly isWhole: boolean } {
    const { request } = this.#waiting.at(-1) ?? this.#current ?? {};
    return { count: this.#requestCount, isWhole: request?.complete !== false };
  }

  /** True while a handler limits the time in which its request must arrive. */
  get hasOwnTimeout(): boolean {
    return this.#timesItself;
  }

  /** The handler of the current request limits the time in which it must arrive: the server's limit does not apply. */
  disableRequestTimeout(): void {
    this.#timesItself = true;
  }

  /** What is told of the current request; undefined where requests are not counted. */
  get observation(): RequestObservation | undefined {
    return this.#observation;
  }

  /** Hands a request to the handler once the responses to earlier ones are sent. */
  serve(exchange: Exchange): void {
    this.#requestCount += 1;
    this.#lastMethod = exchange.request.method;
    if (this.#isEnding || this.#current !== undefined) {
      // Reading stops, so that a client which sends requests without reading cannot fill the memory.
      this.#socket.pause();
      // Requests after a response that closes the connection are ignored.
      if (!this.#isEnding) this.#waiting.push(exchange);
    } else {
      this.#begin(exchange);
    }
  }

  /** Counts bytes of a response as unsent until `release`. */
  reserve(bytes: number): void {
    this.#unsent += bytes;
    this.#options.onUnsentChange(bytes);
  }

  /** Counts bytes of a response until it is closed: what it has left in memory, where it was written at once. */
  reserveUntilClosed(response: ServerResponse, bytes = response.writableLength): void {
    if (bytes === 0) return;
    this.reserve(bytes);
    onceClosed(response, () => this.release(bytes));
  }

  release(bytes: number): void {
    const released = Math.min(bytes, this.#unsent);
    this.#unsent -= released;
    this.#options.onUnsentChange(-released);
  }

  /** Reads and discards the rest of a request that has its response; too many bytes end the connection. */
  discardBody(request: IncomingMessage): void {
    if (this.#discard !== undefined || request.complete || !hasBody(request)) return;
    this.#startDiscard();
    request.on('data', () => this.#checkDiscarded());
    request.resume();
  }

  /** Writes this raw response, after the responses to earlier requests, and ends the connection. */
  reject(response: RawResponse): void {
    const { request, response: current } = this.#current ?? {};
    if (this.#isEnding) return;
    if (request !== undefined && (request.complete || current?.headersSent)) {
      this.#finalResponse = response;
      this.#socket.pause();
    } else {
      this.#observation?.reject(response.status, request !== undefined);
      this.#socket.write(response.text);
      this.#end();
    }
  }

  /** Closes the connection if the client has not sent in time, or has read nothing or too little. */
  checkTimeouts(): void {
    const now = this.#options.now();
    if (this.#discard !== undefined) this.#checkDiscard(this.#discard, now);
    if (this.#sending.isTooSlow() || this.stalledMs() >= this.#options.sendTimeoutMs) this.abort();
  }

  /** How long the client has read nothing of what is unsent. */
  stalledMs(): number {
    return this.#sending.stalledMs();
  }

  /** Resets the connection, which also frees what the system buffers for a client that does not read. */
  abort(): void {
    this.release(this.#unsent);
    this.#socket.resetAndDestroy();
  }

  /** Ends the connection if it only waits for the client to close it. */
  closeIfFinished(): void {
    if (this.#isEnding && this.#socket.writableLength === 0) this.#socket.destroy();
  }

  #begin(exchange: Exchange): void {
    const { request, response, expectsContinue } = exchange;
    this.#current = exchange;
    this.#observation?.begin(request);
    response.on('close', this.#onAnswered);
    if (expectsContinue) this.#continueOnceRead(request, response);
    this.#options.handle(request, response);
  }

  /** Sends `100 Continue` when the handler begins to read the body: an error that does not need the body is sent instead. */
  #continueOnceRead(request: IncomingMessage, response: ServerResponse): void {
    const onListener = (event: string | symbol) => {
      if (event !== 'data' && event !== 'readable') return;
      request.off('newListener', onListener);
      if (this.#discard === undefined && !response.headersSent) response.writeContinue();
    };
    request.on('newListener', onListener);
  }

  // One function for all responses of the connection.
  readonly #onAnswered = (): void => {
    const { request, response } = this.#current ?? {};
    if (response !== undefined) this.#observation?.end(response);
    if (request === undefined || this.#isEnding || this.#socket.destroyed) return;
    this.discardBody(request);
    if (request.complete) this.#next();
    else request.once('end', () => this.#next());
  };

  #next(): void {
    this.#current = undefined;
    this.#discard = undefined;
    this.#timesItself = false;
    const next = this.#waiting.shift();
    // An incomplete request that has not been handled is the one that the final response is about.
    const isWhole = this.#finalResponse === undefined || next?.request.complete === true;
    if (next !== undefined && isWhole) this.#begin(next);
    else if (this.#finalResponse !== undefined) this.reject(this.#finalResponse);
    else if (this.#socket.isPaused()) this.#socket.resume();
  }

  /** Ends the writable side, then waits until the client has read all responses. */
  #end(): void {
    this.#isEnding = true;
    this.#waiting.length = 0;
    this.#socket.end();
    this.#startDiscard();
    this.#socket.resume();
  }

  #startDiscard(): void {
    if (this.#discard !== undefined) return;
    const at = this.#options.now();
    const position = this.#socket.bytesRead;
    this.#discard = { at, position, since: at, lastByte: position + this.#options.discard.bytes };
  }

  #checkDiscarded(): void {
    if (this.#discard !== undefined && this.#socket.bytesRead > this.#discard.lastByte)
      this.#socket.destroy();
  }

  #checkDiscard(discard: Discard, now: number): void {
    const { bytesRead, writableLength } = this.#socket;
    // After the end nothing is written any more, also where a handler still waits for a body that broke off.
    const isWritten = this.#isEnding || this.#current?.response.writableFinished !== false;
    const isAnswered = writableLength === 0 && isWritten;
    if (!isAnswered) discard.since = now;
    if (!isAnswered || bytesRead !== discard.position) {
      discard.position = bytesRead;
      discard.at = now;
    }
    const { idleMs, totalMs } = this.#options.discard;
    if (now - discard.at >= idleMs || now - discard.since >= totalMs) this.#socket.destroy();
    else this.#checkDiscarded();
  }
}
