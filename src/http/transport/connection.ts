// One connection of a client: its requests one after the other, clocks in both directions, and an end that lets the
// client read the last answer.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** What is read of a body that nobody wants, after its answer. */
export interface DiscardLimits {
  readonly bytes: number;
  /** Without a byte. */
  readonly idleMs: number;
  readonly totalMs: number;
}

export interface ConnectionOptions {
  readonly handle: Handler;
  readonly isSurplus: boolean;
  readonly discard: DiscardLimits;
  /** How long the client may read nothing while an answer waits for it. */
  readonly sendTimeoutMs: number;
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number;
  /** Told of every change of `unsent`. */
  readonly onUnsentChange: (difference: number) => void;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The client sends the body after a `100 Continue`. */
  readonly expectsContinue?: boolean;
}

/** When a direction last moved, and where it stood then. */
interface Progress {
  at: number;
  position: number;
}

interface Discard extends Progress {
  /** When the answer was out. */
  since: number;
  readonly lastByte: number;
}

export class Connection {
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #waiting: Exchange[] = [];
  readonly #sending: Progress;
  #current: Exchange | undefined;
  #discard: Discard | undefined;
  #farewell: string | undefined;
  #isEnding = false;
  #unsent = 0;
  #timesItself = false;

  /** True when there were too many connections already. */
  readonly isSurplus: boolean;

  constructor(socket: Socket, options: ConnectionOptions) {
    this.isSurplus = options.isSurplus;
    this.#socket = socket;
    this.#options = options;
    this.#sending = { at: options.now(), position: 0 };
    const destroySoon = socket.destroySoon.bind(socket);
    // Node calls it behind an answer that closes the connection. It would close the socket while the client still
    // writes; the reset that follows can overtake the answer.
    socket.destroySoon = () => {
      const { request } = this.#current ?? {};
      if (request?.complete !== false && this.#waiting.length === 0) destroySoon();
      else this.#end();
    };
    socket.once('close', () => {
      this.#waiting.length = 0;
      this.release(this.#unsent);
    });
  }

  /** Bytes of the answer that the socket has not taken yet. */
  get unsentBytes(): number {
    return this.#unsent;
  }

  /** True while a handler sees to it itself how long its request may take to arrive. */
  get hasOwnTimeout(): boolean {
    return this.#timesItself;
  }

  /** The handler of the request in hand sees to it itself how long that may take to arrive: the server's limit is not meant. */
  disableRequestTimeout(): void {
    this.#timesItself = true;
  }

  /** Hands a request to the handler, once the answers to those before it are out. */
  serve(exchange: Exchange): void {
    if (this.#isEnding || this.#current !== undefined) {
      // No more is read than what has come, lest a client that asks without reading fills the memory.
      this.#socket.pause();
      // Whatever follows an answer that closes the connection is no request.
      if (!this.#isEnding) this.#waiting.push(exchange);
    } else {
      this.#begin(exchange);
    }
  }

  /** Counts bytes of an answer as waiting until `release`. */
  reserve(bytes: number): void {
    this.#unsent += bytes;
    this.#options.onUnsentChange(bytes);
  }

  /** Takes note of what an answer that was written at once has left in memory. */
  reserveUntilClosed(response: ServerResponse): void {
    const bytes = response.writableLength;
    if (bytes === 0) return;
    this.reserve(bytes);
    response.once('close', () => this.release(bytes));
  }

  release(bytes: number): void {
    const released = Math.min(bytes, this.#unsent);
    this.#unsent -= released;
    this.#options.onUnsentChange(-released);
  }

  /** Reads what is left of a request that is answered already, and drops it; too much of it ends the connection. */
  discardBody(request: IncomingMessage): void {
    if (this.#discard !== undefined || request.complete) return;
    this.#startDiscard();
    request.on('data', () => this.#checkDiscarded());
    request.resume();
  }

  /** Answers what is no request with these bytes, after the answers that come before it, and ends the connection. */
  reject(answer: string): void {
    const { request, response } = this.#current ?? {};
    if (this.#isEnding) return;
    if (request !== undefined && (request.complete || response?.headersSent)) {
      this.#farewell = answer;
      this.#socket.pause();
    } else {
      this.#socket.write(answer);
      this.#end();
    }
  }

  /** Closes the connection when the client has not moved in time. */
  checkTimeouts(): void {
    const now = this.#options.now();
    if (this.#discard !== undefined) this.#checkDiscard(this.#discard, now);
    if (this.stalledMs() >= this.#options.sendTimeoutMs) this.abort();
  }

  /** How long the client has read nothing of what waits for it. */
  stalledMs(): number {
    const socket = this.#socket;
    const now = this.#options.now();
    const waiting = socket.writableLength;
    const position = waiting === 0 ? 0 : socket.bytesWritten - waiting;
    if (waiting === 0 || position !== this.#sending.position) {
      this.#sending.at = now;
      this.#sending.position = position;
    }
    return now - this.#sending.at;
  }

  /** Ends the connection at once. A reset also frees what the system keeps for a client that does not read. */
  abort(): void {
    this.release(this.#unsent);
    this.#socket.resetAndDestroy();
  }

  /** Ends the connection if all that is left is to wait for the client to close it. */
  closeIfFinished(): void {
    if (this.#isEnding && this.#socket.writableLength === 0) this.#socket.destroy();
  }

  #begin(exchange: Exchange): void {
    const { request, response, expectsContinue } = exchange;
    this.#current = exchange;
    response.once('close', () => this.#answered(request));
    if (expectsContinue) this.#continueOnceRead(request, response);
    this.#options.handle(request, response);
  }

  /** Asks for the body as soon as somebody wants to read it: a refusal that does not need it is sent instead. */
  #continueOnceRead(request: IncomingMessage, response: ServerResponse): void {
    const onListener = (event: string | symbol) => {
      if (event !== 'data' && event !== 'readable') return;
      request.off('newListener', onListener);
      if (this.#discard === undefined && !response.headersSent) response.writeContinue();
    };
    request.on('newListener', onListener);
  }

  #answered(request: IncomingMessage): void {
    if (this.#isEnding || this.#socket.destroyed) return;
    this.discardBody(request);
    if (request.complete) this.#next();
    else request.once('end', () => this.#next());
  }

  #next(): void {
    this.#current = undefined;
    this.#discard = undefined;
    this.#timesItself = false;
    const next = this.#waiting.shift();
    // One that broke off before it was handled is the one that the farewell is about.
    const isWhole = this.#farewell === undefined || next?.request.complete === true;
    if (next !== undefined && isWhole) this.#begin(next);
    else if (this.#farewell !== undefined) this.reject(this.#farewell);
    else if (this.#socket.isPaused()) this.#socket.resume();
  }

  /** Sends the end of all answers, then waits for the client to have read them. */
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
    // Behind the end nothing is written any more, also where the handler still waits for a body that broke off.
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
