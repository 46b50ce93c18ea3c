// Fastify's last hook: keeps or closes the connection, enforces `limits.unsentBytes`, and streams long responses in chunks, as fast
// as the client reads.
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ChunkedText, MAX_JOINED_LENGTH, textByteLength, textChunks } from '../../lib/chunked-text.ts';
import type { HttpConnection } from './connection.ts';
import type { ConnectionTracker } from './connection-tracker.ts';

type Body = ChunkedText | Buffer;
type Payload = Body | Readable | null | undefined;
type Done = (error: Error | null, payload?: unknown) => void;

/** Bytes of an unread request body up to which the connection is kept. */
const MAX_DISCARDED_BYTES = 65_536;
/** Characters up to which a response is always sent, whatever else is unsent. */
const MAX_ALWAYS_SENT = 16_384;
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

function isShortBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined || headers.expect !== undefined) return false;
  return Number(headers['content-length'] ?? 0) <= MAX_DISCARDED_BYTES;
}

/** Decides whether the connection is kept after this response, and begins to discard the rest of its request. */
export function settleConnection(
  { raw: request }: FastifyRequest,
  reply: FastifyReply,
  connection: HttpConnection | undefined,
): void {
  if (connection === undefined) return;
  if (connection.isSurplus || !(request.complete || isShortBody(request))) {
    reply.header('connection', 'close');
  } else if (reply.hasHeader('connection') && !reply.raw.hasHeader('connection')) {
    // Fastify would close the connection after every body that it rejects.
    reply.removeHeader('connection');
  }
  connection.discardBody(request);
}

function byteLengthOfBody(body: Body, reply: FastifyReply): number {
  const known = reply.getHeader('content-length');
  if (known !== undefined) return Number(known);
  return Buffer.isBuffer(body) ? body.length : textByteLength(body);
}

/** Bytes between two yields: about a millisecond of work. */
const YIELD_BYTES = 1_048_576;
const CHUNK_BYTES = 65_536;

function* chunksOf(body: ChunkedText | Buffer): Generator<Buffer> {
  if (Buffer.isBuffer(body)) {
    for (let at = 0; at < body.length; at += CHUNK_BYTES) yield body.subarray(at, at + CHUNK_BYTES);
  } else {
    for (const slice of textChunks(body)) yield Buffer.from(slice);
  }
}

/** Makes the stream of a body, which yields to the event loop. `onTaken` is called with the bytes of a chunk when the next one is requested. */
export function createResponseStream(body: ChunkedText | Buffer, onTaken: (bytes: number) => void): Readable {
  const chunks = chunksOf(body);
  let last = 0;
  let turn = 0;
  const push = (stream: Readable) => {
    if (stream.destroyed) return;
    onTaken(last);
    const { value, done } = chunks.next();
    last = value?.length ?? 0;
    turn += last;
    stream.push(done ? null : value);
  };
  return new Readable({
    highWaterMark: 1,
    read() {
      if (turn < YIELD_BYTES) return push(this);
      turn = 0;
      setImmediate(push, this);
    },
    destroy(error, done) {
      chunks.return(undefined);
      done(error);
    },
  });
}

/** Makes a stream of a body. The connection counts the bytes that the socket has not taken yet. */
function streamBody(body: Body, reply: FastifyReply, connection: HttpConnection | undefined): Readable {
  let unsent = byteLengthOfBody(body, reply);
  reply.header('content-length', unsent);
  if (reply.request.method === 'HEAD') return Readable.from([]);
  const release = (bytes: number) => {
    unsent -= bytes;
    connection?.release(bytes);
  };
  connection?.reserve(unsent);
  reply.raw.once('close', () => release(unsent));
  return createResponseStream(body, release);
}

/** Characters or bytes of a body; a body in pieces counts as endless. */
function sizeOfPayload(payload: Exclude<Payload, Readable>): number {
  if (payload === undefined || payload === null) return 0;
  return typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : Number.POSITIVE_INFINITY;
}

/**
 * Makes the hook. Streams pass. A long response becomes a stream, any other is written at once; both count as unsent until the
 * client has read them. Over the limit a read is SERVER_BUSY; the response to a write is always sent.
 */
export function createOnSend(connections: ConnectionTracker) {
  return (request: FastifyRequest, reply: FastifyReply, payload: Payload, done: Done): void => {
    const connection = connections.get(request.raw.socket);
    settleConnection(request, reply, connection);
    // Downloads count their buffers themselves.
    if (payload instanceof Readable) {
      done(null, payload);
      return;
    }
    const size = sizeOfPayload(payload);
    const mayReject = size > MAX_ALWAYS_SENT && SAFE_METHODS.has(request.method) && reply.statusCode < 400;
    const error = mayReject ? connections.overloadError(byteLengthOfBody(payload as Body, reply)) : undefined;
    if (error !== undefined) {
      reply.removeHeader('etag');
      done(error);
    } else if (size <= MAX_JOINED_LENGTH) {
      done(null, payload);
      connection?.reserveUntilClosed(reply.raw);
    } else {
      done(null, streamBody(payload as Body, reply, connection));
    }
  };
}
