// Node's HTTP server below Fastify: hands each socket to the connection tracker, each request to its connection.
import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionTracker } from './connection-tracker.ts';
import { invalidRequestResponse } from './raw-responses.ts';

// An import would load all of `node:http`, its client included: 40 ms of startup.
const { createServer } = process.getBuiltinModule('node:http');

const READ_METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

interface NodeServerOptions {
  readonly http: ServerOptions;
  readonly connections: ConnectionTracker;
}

/** Makes a server whose sockets are tracked by `connections` and whose requests go to `handle`. */
export function createNodeServer(handle: RequestListener, { http, connections }: NodeServerOptions): Server {
  const server = createServer(http);
  // A client may close its side after a whole upload and wait for the response: Node would end the connection.
  Object.assign(server, { httpAllowHalfOpen: true });
  const last = new WeakMap<Socket, IncomingMessage>();
  // After a read the end of the client's side means that it has gone.
  const endReads = (socket: Socket) => {
    const request = last.get(socket);
    if (request === undefined || READ_METHODS.has(request.method)) socket.end();
  };
  const serve = (expectsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    last.set(request.socket, request);
    connections.get(request.socket)?.serve({ request, response, expectsContinue });
  };
  server.on('connection', (socket: Socket) => {
    connections.add(socket, handle);
    socket.once('end', () => endReads(socket));
  });
  server.on('request', serve(false));
  server.on('checkContinue', serve(true));
  // Unknown expectations are ignored, as RFC 9110, 10.1.1 permits.
  server.on('checkExpectation', serve(false));
  return server;
}

/** Makes the listener for `clientError`: sends an error for bytes that are no request, and ends the connection. */
export function createClientErrorHandler(connections: ConnectionTracker) {
  return (error: Error & { readonly code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    const connection = connections.get(socket);
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && connection?.hasOwnTimeout) return;
    connection?.reject(invalidRequestResponse(error.code));
  };
}
