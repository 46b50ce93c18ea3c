// Compressed forms of files that are delivered as they are: made once, whole, and kept among the variants. Memory and threads for
// it are bounded for all requests together; what is beyond that is sent uncompressed.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { createByteQuota, createSemaphore } from '../../lib/async/concurrency.ts';
import { onceAborted } from '../../lib/async/ownership.ts';
import { holdToLength } from '../../lib/async/stream-length.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import type { OriginalFile } from '../model/delivery-types.ts';
import { canonicalPath } from './flush-pattern.ts';
import { createSingleFlight } from './single-flight.ts';
import { ANY_SETTINGS, createMemoryVariant, type StoredVariant, type VariantStore } from './variant-store.ts';

export type ContentEncoding = 'br' | 'gzip';

interface CompressionRequest {
  readonly file: OriginalFile;
  readonly contentType: string;
  /** Which source and which file of it. */
  readonly sourceId: string;
  /** Name of the recipe; empty for a plain file. */
  readonly recipe: string;
  /** As requested, without the name of the recipe, encoded. */
  readonly path: string;
  readonly encoding: ContentEncoding;
  /** The client has gone. */
  readonly signal?: AbortSignal | undefined;
}

export interface CompressedFiles {
  /**
   * The compressed file, kept or made now. Undefined where it should be sent as it is: it is too large, or too much is being
   * compressed. Rejects with the error of the file.
   */
  find(request: CompressionRequest): Promise<StoredVariant | undefined>;
}

/** Bytes up to which a file is compressed. */
export const MAX_COMPRESSED_BYTES = 16_777_216;
/** Memory of everything that is being compressed, or waits for it. */
const MAX_COMPRESSING_BYTES = 67_108_864;
/** Half of Node's threads, which read files too. */
const MAX_COMPRESSIONS = 2;
/** Beyond this quality brotli takes several times as long for a few per cent. */
const BROTLI_QUALITY = 4;
/** A window of 1 MB: a larger one costs its size in memory, in the server and in each browser, for little. */
const BROTLI_WINDOW_BITS = 20;
const GZIP_LEVEL = 6;
/** What an encoder needs beside its input and output. */
const ENCODER_BYTES = 1_048_576;
/** Bodies up to this size are sent from memory, larger ones from the store that has just taken them. */
const MAX_SMALL_BYTES = 256 * 1024;
/** Part of every key: to be raised when the same file is compressed in another way than before. */
const COMPRESSING = 1;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** The compressed bytes, made on a thread of Node's pool. */
function compress(bytes: Buffer, encoding: ContentEncoding): Promise<Buffer> {
  if (encoding === 'gzip') return zip(bytes, { level: GZIP_LEVEL });
  return brotli(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
}

/** All bytes; undefined where there are too many. Gives the file back when the signal fires. */
async function readWhole(file: OriginalFile, signal: AbortSignal): Promise<Buffer | undefined> {
  const opened = await file.open();
  const stream = file.size === undefined ? opened : holdToLength(opened, file.size);
  const stopWaiting = onceAborted(signal, () => stream.destroy(signal.reason));
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > MAX_COMPRESSED_BYTES) return undefined;
      pieces.push(piece);
    }
  } finally {
    stopWaiting();
  }
  return Buffer.concat(pieces, size);
}

interface Deps {
  readonly store: Pick<VariantStore, 'get' | 'set'>;
  /** Number of flushes so far: what was read before one may be what it is about. */
  readonly flushes: () => number;
}

/** Concurrent requests for one file share its compression. Failures are not kept. */
export function createCompressedFiles({ store, flushes }: Deps): CompressedFiles {
  const shared = createSingleFlight<StoredVariant | undefined>();
  const quota = createByteQuota(MAX_COMPRESSING_BYTES);
  const inTurn = createSemaphore(MAX_COMPRESSIONS);

  const make = async (key: string, request: CompressionRequest, signal: AbortSignal) => {
    const { file, encoding, contentType, recipe, sourceId: source } = request;
    const flushesBefore = flushes();
    const plain = await readWhole(file, signal);
    if (plain === undefined) return undefined;
    const body = await inTurn(async () => {
      signal.throwIfAborted();
      return compress(plain, encoding);
    });
    const path = canonicalPath(request.path);
    const info = { contentType, width: 0, height: 0, recipe, path, source, settings: ANY_SETTINGS };
    if (flushes() === flushesBefore) await store.set(key, info, body);
    const stored = body.length > MAX_SMALL_BYTES ? await store.get(key) : undefined;
    return stored ?? createMemoryVariant(info, body);
  };

  const makeWithin = async (key: string, request: CompressionRequest, signal: AbortSignal) => {
    const again = await store.get(key);
    if (again !== undefined) return again;
    const bytes = 2 * (request.file.size ?? MAX_COMPRESSED_BYTES) + ENCODER_BYTES;
    if (!quota.fits(bytes)) return undefined;
    quota.add(bytes);
    try {
      return await make(key, request, signal);
    } finally {
      quota.add(-bytes);
    }
  };

  return {
    async find(request) {
      const { file, sourceId, contentType, recipe, encoding, signal } = request;
      const identity = [COMPRESSING, encoding, recipe, sourceId, file.validator, contentType];
      const key = sha256Hex(JSON.stringify(identity));
      const kept = await store.get(key);
      return kept ?? shared.run(key, (ended) => makeWithin(key, request, ended), signal);
    },
  };
}
