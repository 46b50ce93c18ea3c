// Streams a long response in chunks, as fast as the client reads, and yields to the event loop in between.
import { Readable } from 'node:stream';
import { type ChunkedText, textChunks } from '../../lib/chunked-text.ts';

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

/** Makes the stream. `onTaken` is called with the bytes of a chunk when the next one is requested. */
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
