// All connections of the server: how many there may be, how much may wait in memory for their clients, and the clock
// that looks after each.
import type { Socket } from 'node:net';
import { AppError } from '../../errors.ts';
import type { ByteQuota } from '../../lib/byte-quota.ts';
import type { HttpConfig, HttpLogger } from '../core/http-deps.ts';
import { Connection, type DiscardLimits, type Handler } from './connection.ts';
import { tooManyConnectionsResponse } from './raw-responses.ts';

interface ConnectionTrackerOptions {
  readonly limits: Pick<HttpConfig['limits'], 'connections' | 'sendSeconds' | 'unsentBytes'>;
  /** What answers hold in memory until their clients have read them. */
  readonly unsent: ByteQuota;
  readonly logger: Pick<HttpLogger, 'warn'>;
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number;
  readonly discard?: DiscardLimits;
}

export interface ConnectionTracker {
  /** Begins to follow a socket. `handle` is given its requests. */
  add(socket: Socket, handle: Handler): void;
  get(socket: Socket): Connection | undefined;
  /**
   * The error for an answer of so many bytes, when that is too much together with what waits for other clients. Those
   * that do not read at all make room first.
   */
  overloadError(bytes: number): AppError | undefined;
  /**
   * Counts bytes of a long answer as waiting while `work` goes on before it is sent. Rejects with the error of `overloadError`
   * where there is no room for them.
   */
  reserveDuring<T>(socket: Socket, bytes: number, work: () => Promise<T>): Promise<T>;
  /** Looks at the clocks of all connections. Runs by itself while there are any. */
  checkTimeouts(): void;
  /** Closes connections that only wait for the client to close them: the server is about to end. */
  closeFinished(): void;
}

const CHECK_INTERVAL_MS = 250;
const WARN_INTERVAL_MS = 60_000;
/** A share of `limits.sendSeconds` after which a client that does not read makes room for others. */
const STALLED_SHARE = 1 / 3;
/** A share of `limits.unsentBytes`: with less room they do so, before anybody is refused for it. */
const SPARE_SHARE = 1 / 4;
/** Connections beyond the limit that are told so in answer to a request; more are told at once. */
const MIN_SURPLUS = 256;
const SURPLUS_SHARE = 0.1;
const DEFAULT_DISCARD_LIMITS: DiscardLimits = { bytes: 67_108_864, idleMs: 5000, totalMs: 30_000 };

/** Makes the table of connections, which is shared by all sockets that the server listens on. */
export function createConnectionTracker({
  limits,
  unsent,
  logger,
  now,
  discard = DEFAULT_DISCARD_LIMITS,
}: ConnectionTrackerOptions): ConnectionTracker {
  const open = new Map<Socket, Connection>();
  const sendMs = limits.sendSeconds * 1000;
  const most = limits.connections + Math.max(MIN_SURPLUS, Math.ceil(limits.connections * SURPLUS_SHARE));
  let warnedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  const check = () => {
    for (const connection of open.values()) connection.checkTimeouts();
    if (!unsent.fits(limits.unsentBytes * SPARE_SHARE)) makeRoom(limits.unsentBytes * SPARE_SHARE);
  };
  const forget = (socket: Socket) => {
    open.delete(socket);
    if (open.size === 0) clearInterval(timer);
  };
  const warn = () => {
    if (now() - warnedAt < WARN_INTERVAL_MS) return;
    warnedAt = now();
    logger.warn({ connections: limits.connections }, 'the limit of connections is reached');
  };
  const makeRoom = (bytes: number) => {
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
    makeRoom(bytes);
    if (unsent.fits(bytes)) return undefined;
    return new AppError('SERVER_BUSY', { message: 'Too many answers are waiting to be read' });
  };

  return {
    add(socket, handle) {
      const isSurplus = open.size >= limits.connections;
      if (isSurplus) warn();
      if (open.size >= most) {
        socket.write(tooManyConnectionsResponse());
        socket.destroySoon();
        return;
      }
      if (open.size === 0) timer = setInterval(check, CHECK_INTERVAL_MS).unref();
      open.set(
        socket,
        new Connection(socket, {
          handle,
          isSurplus,
          discard,
          sendTimeoutMs: sendMs,
          now,
          onUnsentChange: unsent.add,
        }),
      );
      socket.once('close', () => forget(socket));
    },
    get: (socket) => open.get(socket),
    overloadError,
    async reserveDuring(socket, bytes, work) {
      const error = overloadError(bytes);
      if (error !== undefined) throw error;
      const connection = open.get(socket);
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
