// What every answer passes last: whether its connection goes on, whether there is room for it, how it is written.
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ChunkedText, MAX_JOINED_LENGTH, textByteLength } from '../../lib/chunked-text.ts';
import type { Connection } from './connection.ts';
import type { ConnectionTracker } from './connection-tracker.ts';
import { createResponseStream } from './response-stream.ts';

type Body = ChunkedText | Buffer;
type Payload = Body | Readable | null | undefined;
type Done = (error: Error | null, payload?: unknown) => void;

/** The rest of a body that is read so that the connection can go on. */
const MAX_DISCARDED_BYTES = 65_536;
/** Answers up to this size always go out: who is refused reads at least why. */
const MAX_ALWAYS_SENT = 16_384;
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

function isShortBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined || headers.expect !== undefined) return false;
  return Number(headers['content-length'] ?? 0) <= MAX_DISCARDED_BYTES;
}

/** Says whether the connection goes on behind this answer, and begins to drop what is left of its request. */
export function settleConnection(
  { raw: request }: FastifyRequest,
  reply: FastifyReply,
  connection: Connection | undefined,
): void {
  if (connection === undefined) return;
  if (connection.isSurplus || !(request.complete || isShortBody(request))) {
    reply.header('connection', 'close');
  } else if (reply.hasHeader('connection') && !reply.raw.hasHeader('connection')) {
    // The framework would end the connection behind every body that is refused.
    reply.removeHeader('connection');
  }
  connection.discardBody(request);
}

function byteLengthOfBody(body: Body, reply: FastifyReply): number {
  const known = reply.getHeader('content-length');
  if (known !== undefined) return Number(known);
  return Buffer.isBuffer(body) ? body.length : textByteLength(body);
}

/** A body as a stream, of which the connection counts what it has not taken yet. */
function streamBody(body: Body, reply: FastifyReply, connection: Connection | undefined): Readable {
  let left = byteLengthOfBody(body, reply);
  reply.header('content-length', left);
  if (reply.request.method === 'HEAD') return Readable.from([]);
  const release = (taken: number) => {
    left -= taken;
    connection?.release(taken);
  };
  connection?.reserve(left);
  reply.raw.once('close', () => release(left));
  return createResponseStream(body, release);
}

/** Characters or bytes of a body; that in pieces is long. */
function sizeOfPayload(payload: Exclude<Payload, Readable>): number {
  if (payload === undefined || payload === null) return 0;
  return typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : Number.POSITIVE_INFINITY;
}

/**
 * Makes the hook. A stream passes. A long answer becomes a stream, another is written at once; of both is counted what the client has
 * not read, and a read for which there is no room is refused. The answer to a write always goes out.
 */
export function createOnSend(connections: ConnectionTracker) {
  return (request: FastifyRequest, reply: FastifyReply, payload: Payload, done: Done): void => {
    const connection = connections.get(request.raw.socket);
    settleConnection(request, reply, connection);
    // A download: whoever sends it counts what it holds in memory.
    if (payload instanceof Readable) {
      done(null, payload);
      return;
    }
    const size = sizeOfPayload(payload);
    const mayRefuse = size > MAX_ALWAYS_SENT && SAFE_METHODS.has(request.method) && reply.statusCode < 400;
    const refusal = mayRefuse
      ? connections.overloadError(byteLengthOfBody(payload as Body, reply))
      : undefined;
    if (refusal !== undefined) {
      reply.removeHeader('etag');
      done(refusal);
    } else if (size <= MAX_JOINED_LENGTH) {
      done(null, payload);
      connection?.reserveUntilClosed(reply.raw);
    } else {
      done(null, streamBody(payload as Body, reply, connection));
    }
  };
}
