// The server below the framework on a real port: the clock stands still until a test moves it.
import { once } from 'node:events';
import type { RequestListener, ServerOptions } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { DiscardLimits, HttpConnection } from '../../../src/http/transport/connection.ts';
import {
  type ConnectionTracker,
  createClientErrorHandler,
  createConnectionTracker,
} from '../../../src/http/transport/connection-tracker.ts';
import { createNodeServer } from '../../../src/http/transport/fastify-server.ts';
import { createByteQuota } from '../../../src/lib/async/concurrency.ts';

export const SEND_SECONDS = 10;

interface Options {
  readonly connections?: number;
  readonly unsentBytes?: number;
  readonly discard?: Partial<DiscardLimits>;
  readonly warnings?: object[];
  /** Settings of the Node server. */
  readonly http?: ServerOptions;
}

export interface SocketServer {
  readonly connections: ConnectionTracker;
  readonly port: number;
  /** Moves the clock and lets all connections look at it. */
  advance(milliseconds: number): void;
  /** Opens a connection and resolves with both of its ends. `isPaused`: the client reads nothing. */
  open(text?: string, isPaused?: boolean): Promise<Ends>;
  close(): Promise<void>;
}

interface Ends {
  readonly client: Socket;
  readonly server: Socket;
  readonly connection: HttpConnection | undefined;
}

/** Resolves once a socket is closed, in whatever way. */
export function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
  });
}

/** Everything that a socket receives until it is closed. */
export async function received(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  await closed(socket);
  return text;
}

/** Resolves with what a socket has received once it holds this. */
export function receives(socket: Socket, wanted: string): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    const take = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (!text.includes(wanted)) return;
      socket.off('data', take);
      resolve(text);
    };
    socket.on('data', take);
    socket.once('close', () => reject(new Error(`closed after ${text}`)));
  });
}

export async function startSocketServer(
  handle: RequestListener,
  { connections: most = 100, unsentBytes = 1_000_000, discard, warnings = [], http }: Options = {},
): Promise<SocketServer> {
  let time = 0;
  const connections = createConnectionTracker({
    limits: { connections: most, unsentBytes, sendSeconds: SEND_SECONDS },
    unsent: createByteQuota(unsentBytes),
    logger: { warn: (fields) => void warnings.push(fields) },
    now: () => time,
    discard: { bytes: 1_000_000, idleMs: 1000, totalMs: 5000, ...discard },
  });
  const settings = { keepAliveTimeout: 60_000, requireHostHeader: false, ...http };
  const server = createNodeServer(handle, { http: settings, connections });
  server.on('clientError', createClientErrorHandler(connections));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const clients = new Set<Socket>();
  return {
    connections,
    port,
    advance(milliseconds) {
      time += milliseconds;
      connections.checkTimeouts();
    },
    async open(text = '', isPaused = false) {
      const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
      clients.add(client);
      if (isPaused) client.pause();
      const accepted = once(server, 'connection') as Promise<[Socket]>;
      const [socket] = await accepted;
      if (text !== '') client.write(text);
      return { client, server: socket, connection: connections.get(socket) };
    },
    async close() {
      for (const client of clients) client.destroy();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
