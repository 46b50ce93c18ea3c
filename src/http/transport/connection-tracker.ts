// Tracks all connections of a listener: limits their number and the bytes that are unsent, and checks their timeouts. What is over
// the limit, or no HTTP, gets its response on the bare socket, in the envelope of errors.

import type { Socket } from 'node:net';
import { AppError } from '../../errors/errors.ts';
import type { ByteQuota } from '../../lib/async/concurrency.ts';
import { createWatchdog } from '../../lib/async/watchdog.ts';
import type { HttpConfig, HttpLogger } from '../core/http-deps.ts';
import {
  connectionOf,
  type DiscardLimits,
  type Handler,
  HttpConnection,
  type HttpConnectionOptions,
} from './connection.ts';
import { invalidRequestResponse, tooManyConnectionsResponse } from './raw-responses.ts';

interface ConnectionTrackerOptions {
  readonly limits: Pick<HttpConfig['limits'], 'connections' | 'sendSeconds' | 'unsentBytes'>;
  /** Bytes that responses hold in memory until clients have read them, of `limits.unsentBytes`. */
  readonly unsent: ByteQuota;
  readonly logger: Pick<HttpLogger, 'warn'>;
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number;
  readonly discard?: DiscardLimits;
  readonly onAnswered?: HttpConnectionOptions['onAnswered'];
}

export interface ConnectionTracker {
  /** Tracks a socket. Its requests go to `handle`. */
  add(socket: Socket, handle: Handler): void;
  get(socket: Socket): HttpConnection | undefined;
  /**
   * The error for a response of so many bytes that does not fit into `limits.unsentBytes`. Connections of stalled clients
   * are ended first.
   */
  overloadError(bytes: number): AppError | undefined;
  /** Counts bytes as unsent while `work` prepares a long response. Rejects with the error of `overloadError`. */
  reserveDuring<T>(socket: Socket, bytes: number, work: () => Promise<T>): Promise<T>;
  /** Checks the timeouts of all connections. Runs by itself while there are any. */
  checkTimeouts(): void;
  /** On shutdown: closes connections that only wait for the client to close them. */
  closeFinished(): void;
}

const CHECK_INTERVAL_MS = 250;
const WARN_INTERVAL_MS = 60_000;
/** Bytes a second that a client has to read of what waits for it, on average over `limits.sendSeconds`. */
const MIN_BYTES_PER_SECOND = 4096;
/** Share of `limits.sendSeconds` after which a client that does not read counts as stalled. */
const STALLED_SHARE = 1 / 3;
/** Share of `limits.unsentBytes` that is kept free by ending the connections of stalled clients. */
const SPARE_SHARE = 1 / 4;
/** Connections over the limit that get their error as the response to a request; any more get it at once. */
const MIN_SURPLUS = 256;
const SURPLUS_SHARE = 0.1;
const DEFAULT_DISCARD_LIMITS: DiscardLimits = { bytes: 67_108_864, idleMs: 5000, totalMs: 30_000 };

/** Makes the tracker of a listener. */
export function createConnectionTracker({
  limits,
  unsent,
  logger,
  now,
  discard = DEFAULT_DISCARD_LIMITS,
  onAnswered,
}: ConnectionTrackerOptions): ConnectionTracker {
  const open = new Map<Socket, HttpConnection>();
  const sendMs = limits.sendSeconds * 1000;
  const spareBytes = limits.unsentBytes * SPARE_SHARE;
  const maxTracked =
    limits.connections + Math.max(MIN_SURPLUS, Math.ceil(limits.connections * SURPLUS_SHARE));
  let warnedAt = Number.NEGATIVE_INFINITY;

  const check = () => {
    for (const connection of open.values()) connection.checkTimeouts();
    if (!unsent.fits(spareBytes)) endStalled(spareBytes);
  };
  const watchdog = createWatchdog({
    intervalMs: CHECK_INTERVAL_MS,
    now,
    isNeeded: () => open.size > 0,
    onTick: check,
  });
  const warn = () => {
    if (now() - warnedAt < WARN_INTERVAL_MS) return;
    warnedAt = now();
    logger.warn({ connections: limits.connections }, 'connection limit reached');
  };
  const endStalled = (bytes: number) => {
    const stalled = [...open.values()]
      .filter((connection) => connection.unsentBytes > 0 && connection.stalledMs() >= sendMs * STALLED_SHARE)
      .sort((a, b) => b.stalledMs() - a.stalledMs());
    for (const connection of stalled) {
      if (unsent.fits(bytes)) return;
      connection.abort();
    }
  };

  const overloadError = (bytes: number): AppError | undefined => {
    if (unsent.fits(bytes)) return undefined;
    endStalled(bytes);
    if (unsent.fits(bytes)) return undefined;
    return new AppError('SERVER_BUSY', { message: 'Too many answers are waiting to be read' });
  };

  return {
    add(socket, handle) {
      const isSurplus = open.size >= limits.connections;
      if (isSurplus) warn();
      if (open.size >= maxTracked) {
        const { status, text } = tooManyConnectionsResponse();
        onAnswered?.({ status, ms: 0 });
        socket.write(text);
        socket.destroySoon();
        return;
      }
      watchdog.start();
      open.set(
        socket,
        new HttpConnection(socket, {
          handle,
          isSurplus,
          discard,
          sendTimeoutMs: sendMs,
          minBytesPerSecond: MIN_BYTES_PER_SECOND,
          now,
          onUnsentChange: unsent.add,
          onAnswered,
        }),
      );
      socket.once('close', () => open.delete(socket));
    },
    get: connectionOf,
    overloadError,
    async reserveDuring(socket, bytes, work) {
      const error = overloadError(bytes);
      if (error !== undefined) throw error;
      const connection = connectionOf(socket);
      connection?.reserve(bytes);
      try {
        return await work();
      } finally {
        connection?.release(bytes);
      }
    },
    checkTimeouts: check,
    closeFinished() {
      for (const connection of open.values()) connection.closeIfFinished();
    },
  };
}

/**
 * Makes the listener for `clientError`: sends an error for bytes that are no request, and ends the connection. Node looks at its
 * clock before it reads: where this process stood still meanwhile, a request may be late only because nobody has read it yet.
 */
export function createClientErrorHandler(connections: ConnectionTracker) {
  return (error: Error & { readonly code?: string }, socket: Socket): void => {
    const connection = connections.get(socket);
    if (error.code === 'ECONNRESET' || socket.destroyed || connection === undefined) return;
    const reject = () => connection.reject(invalidRequestResponse(error.code));
    if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT') reject();
    else if (!connection.hasOwnTimeout) {
      const before = connection.arrived();
      // Once what is in the socket has been read.
      setImmediate(() => {
        const { count, isWhole } = connection.arrived();
        const hasArrived = isWhole && (count > before.count || !before.isWhole);
        if (!hasArrived && !socket.destroyed) reject();
      });
    }
  };
}
