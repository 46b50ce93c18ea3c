// The HTTP server of Node below the framework: every socket and every request passes here first.
import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionTracker } from './connection-tracker.ts';
import { invalidRequestResponse } from './raw-responses.ts';

// An import would load all that `node:http` can hand out, a client included: 40 ms of the start.
const { createServer } = process.getBuiltinModule('node:http');

const READ_METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

interface NodeServerOptions {
  readonly http: ServerOptions;
  readonly connections: ConnectionTracker;
}

/** Makes a server whose sockets are followed by `connections` and whose requests `handle` answers. */
export function createNodeServer(handle: RequestListener, { http, connections }: NodeServerOptions): Server {
  const server = createServer(http);
  // Whoever sends a whole upload and closes his side behind it waits for the answer: Node would end the connection.
  Object.assign(server, { httpAllowHalfOpen: true });
  const last = new WeakMap<Socket, IncomingMessage>();
  // A read is of no use to a client that has gone, and its end tells no more than that.
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
  // An expectation that Node does not know is no reason to refuse (RFC 9110 10.1.1 leaves it open).
  server.on('checkExpectation', serve(false));
  return server;
}

/** Makes the listener for `clientError`: what is no request is answered, and its connection ended. */
export function createClientErrorHandler(connections: ConnectionTracker) {
  return (error: Error & { readonly code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    const connection = connections.get(socket);
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && connection?.hasOwnTimeout) return;
    connection?.reject(invalidRequestResponse(error.code));
  };
}
