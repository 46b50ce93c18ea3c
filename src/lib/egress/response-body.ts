// The body of an answer, decompressed, no larger than the grant allows.
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { FetchFailedError } from './fetch-errors.ts';

const FIRST_BYTES = 16 * 1024;

type Decoder = ReturnType<typeof createGunzip>;

const DECODERS: ReadonlyMap<string, () => Decoder> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress as () => Decoder],
  ['zstd', createZstdDecompress as () => Decoder],
]);

/** What requests accept. `deflate` is understood too, but servers do not agree on what it means. */
export const ACCEPT_ENCODING = 'gzip, br, zstd';

function decoderOf(response: IncomingMessage): Decoder | undefined {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return undefined;
  const create = DECODERS.get(encoding);
  if (create === undefined) throw new FetchFailedError('encoding');
  return create();
}

/** Passes on at most `most` bytes: compressed nothing is endless too. */
function bounded(most: number) {
  return async function* (source: AsyncIterable<Buffer>) {
    let left = most;
    for await (const chunk of source) {
      left -= chunk.length;
      if (left < 0) throw new FetchFailedError('too-large');
      yield chunk;
    }
  };
}

/** Copies into one buffer that grows: a list of a million tiny chunks would cost a hundred times their size. */
function collected(most: number) {
  return async (source: AsyncIterable<Buffer>): Promise<Buffer> => {
    let held = Buffer.allocUnsafeSlow(Math.min(most, FIRST_BYTES));
    let size = 0;
    for await (const chunk of source) {
      const needed = size + chunk.length;
      if (needed > most) throw new FetchFailedError('too-large');
      if (needed > held.length) {
        const larger = Buffer.allocUnsafeSlow(Math.min(most, Math.max(needed, held.length * 2)));
        held.copy(larger, 0, 0, size);
        held = larger;
      }
      size += chunk.copy(held, size);
    }
    return held.subarray(0, size);
  };
}

/**
 * Reads a body to its end. Rejects with FetchFailed when it is larger than `most` bytes, compressed or not, or compressed in
 * a way that is not known; with the stream's error when it breaks off.
 */
export async function readResponseBody(response: IncomingMessage, most: number): Promise<Buffer> {
  const decoder = decoderOf(response);
  if (decoder === undefined) return pipeline(response, collected(most));
  return pipeline(response, bounded(most), decoder, collected(most));
}
