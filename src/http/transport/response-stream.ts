// Streams the body of a long response in chunks, as fast as the client reads.
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { onceClosed } from '../../lib/async/ownership.ts';
import { type ChunkedText, LONG_TEXT_COST, textByteLength, textChunks } from '../../lib/chunked-text.ts';
import type { HttpConnection } from './connection.ts';

export type ResponseBody = ChunkedText | Buffer;

/** Bytes of a body as it is sent. */
export function byteLengthOfBody(body: ResponseBody, reply: FastifyReply): number {
  const known = reply.getHeader('content-length');
  if (known !== undefined) return Number(known);
  return Buffer.isBuffer(body) ? body.length : textByteLength(body);
}

/** What a byte of a long body counts towards `limits.unsentBytes`. */
export const costOfByte = (body: ResponseBody): number => (Buffer.isBuffer(body) ? 1 : LONG_TEXT_COST);

/** Bytes between two yields: about a millisecond of work. */
const YIELD_BYTES = 1_048_576;
const CHUNK_BYTES = 65_536;

function* chunksOf(body: ResponseBody): Generator<Buffer> {
  if (Buffer.isBuffer(body)) {
    for (let at = 0; at < body.length; at += CHUNK_BYTES) yield body.subarray(at, at + CHUNK_BYTES);
  } else {
    for (const slice of textChunks(body)) yield Buffer.from(slice);
  }
}

/** Makes the stream of a body, which yields to the event loop. `onTaken` is called with the bytes of a chunk when the next one is requested. */
export function createResponseStream(body: ResponseBody, onTaken: (bytes: number) => void): Readable {
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
export function streamBody(
  body: ResponseBody,
  reply: FastifyReply,
  connection: HttpConnection | undefined,
): Readable {
  const cost = costOfByte(body);
  let unsent = byteLengthOfBody(body, reply);
  reply.header('content-length', unsent);
  if (reply.request.method === 'HEAD') return Readable.from([]);
  const release = (bytes: number) => {
    unsent -= bytes;
    connection?.release(bytes * cost);
  };
  connection?.reserve(unsent * cost);
  onceClosed(reply.raw, () => release(unsent));
  return createResponseStream(body, release);
}
