// What every answer passes last: whether its connection goes on, whether there is room for it, how it is written.
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { byteLengthOf, LONG_TEXT, type Text } from '../lib/text-pieces.ts';
import { createAnswerStream } from './answer-stream.ts';
import type { Connection } from './connection.ts';
import type { Connections } from './connections.ts';

type Body = Text | Buffer;
type Payload = Body | Readable | null | undefined;
type Done = (error: Error | null, payload?: unknown) => void;

/** The rest of a body that is read so that the connection can go on. */
const SHORT_BODY = 65_536;
/** Answers up to this size always go out: who is refused reads at least why. */
const SMALL_ANSWER = 16_384;
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

function isShort({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined || headers.expect !== undefined) return false;
  return Number(headers['content-length'] ?? 0) <= SHORT_BODY;
}

/** Says whether the connection goes on behind this answer, and begins to drop what is left of its request. */
export function decideConnection(
  { raw: request }: FastifyRequest,
  reply: FastifyReply,
  connection: Connection | undefined,
): void {
  if (connection === undefined) return;
  if (connection.isSurplus || !(request.complete || isShort(request))) {
    reply.header('connection', 'close');
  } else if (reply.hasHeader('connection') && !reply.raw.hasHeader('connection')) {
    // The framework would end the connection behind every body that is refused.
    reply.removeHeader('connection');
  }
  connection.discardBody(request);
}

function bytesOf(body: Body, reply: FastifyReply): number {
  const known = reply.getHeader('content-length');
  if (known !== undefined) return Number(known);
  return Buffer.isBuffer(body) ? body.length : byteLengthOf(body);
}

/** A body as a stream, of which the connection counts what it has not taken yet. */
function streamOf(body: Body, reply: FastifyReply, connection: Connection | undefined): Readable {
  let left = bytesOf(body, reply);
  reply.header('content-length', left);
  if (reply.request.method === 'HEAD') return Readable.from([]);
  const release = (taken: number) => {
    left -= taken;
    connection?.release(taken);
  };
  connection?.hold(left);
  reply.raw.once('close', () => release(left));
  return createAnswerStream(body, release);
}

/** Characters or bytes of a body; that in pieces is long. */
function sizeOf(payload: Exclude<Payload, Readable>): number {
  if (payload === undefined || payload === null) return 0;
  return typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : Number.POSITIVE_INFINITY;
}

/**
 * Makes the hook. A stream passes. A long answer becomes a stream, another is written at once; of both is counted what the client has
 * not read, and a read for which there is no room is refused. The answer to a write always goes out.
 */
export function createOnSend(connections: Connections) {
  return (request: FastifyRequest, reply: FastifyReply, payload: Payload, done: Done): void => {
    const connection = connections.of(request.raw.socket);
    decideConnection(request, reply, connection);
    // A download: whoever sends it counts what it holds in memory.
    if (payload instanceof Readable) {
      done(null, payload);
      return;
    }
    const size = sizeOf(payload);
    const mayRefuse = size > SMALL_ANSWER && SAFE.has(request.method) && reply.statusCode < 400;
    const refusal = mayRefuse ? connections.refusal(bytesOf(payload as Body, reply)) : undefined;
    if (refusal !== undefined) {
      reply.removeHeader('etag');
      done(refusal);
    } else if (size <= LONG_TEXT) {
      done(null, payload);
      connection?.holdUntilClosed(reply.raw);
    } else {
      done(null, streamOf(payload as Body, reply, connection));
    }
  };
}
