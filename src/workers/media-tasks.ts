// Reads image dimensions and computes hashes. What is more than the header of a common image is read on a small thread pool: hostile
// bytes may take any time.

import { hash } from 'node:crypto';
import { extname } from 'node:path';
import { AppError } from '../errors/errors.ts';
import { StartError } from '../errors/start-error.ts';
import { Permits } from '../lib/async/permits.ts';
import { dimensionsInHeader, type ImageTask } from './image-dimensions.ts';
import type { Dimensions } from './images/image-bytes.ts';
import { createWorkerPool } from './worker-pool.ts';

/** Bytes from the start of a file that are enough to find the dimensions of nearly every image. */
export const IMAGE_HEAD_BYTES = 524_288;
/** Bytes from the end of a longer file, where TIFF and WebP may keep what their dimensions depend on. */
export const IMAGE_TAIL_BYTES = 131_072;

/** Enough for most images without a thumbnail. The worst bytes take half a millisecond of the caller's time. */
const MAX_HEADER_BYTES = 4_096;
/** Enough for most images. Both ends are sent in full only if needed: copying them costs more than reading them. */
const SHORT_HEAD_BYTES = 16_384;
const SHORT_TAIL_BYTES = 4_096;

const MAX_THREADS = 2;
/** Images that wait for a thread. */
const MAX_QUEUE = 1_000;
/** Milliseconds that an image waits for a thread. */
const MAX_WAIT = 30_000;
const HEAP_MB = 64;
/** Milliseconds for reading one image. */
const TIMEOUT_MS = 5_000;
const HASH_TIMEOUT_MS = 250;

/** The available bytes of a file. */
export interface ImageHeadAndTail {
  /** So many of the first bytes, or as many as there are; at most `HEAD_BYTES` are asked for. */
  head(bytes: number): Uint8Array;
  /** So many of the last bytes, or as many as there are; at most `TAIL_BYTES` are asked for. */
  tail(bytes: number): Uint8Array;
}

export interface MediaWorkers {
  /**
   * Dimensions of the image with these ends and `size` bytes in all. The bytes must not change before it resolves.
   * Undefined when the bytes are no image of a known format, or a damaged one. Rejects with UPLOADS_FULL when too many others
   * wait, or reading takes too long; with a StartError when there is no thread: that says nothing about the image.
   */
  dimensionsOf(ends: ImageHeadAndTail, size: number): Promise<Dimensions | undefined>;
  /** SHA1 of the UTF-8 bytes of a text, 40 hexadecimal digits in lower case. Never rejects. */
  sha1Of(text: string): Promise<string>;
  close(): Promise<void>;
}

export interface MediaWorkersOptions {
  /** Milliseconds after which the thread that reads an image is ended. */
  readonly limitMs?: number;
  /** Images that may wait for a thread, and milliseconds for which each may. */
  readonly queue?: { readonly max: number; readonly waitMs: number };
  /** Address of the module that exports `imageDimensions`. */
  readonly imageTask?: URL;
  /** Called when reading an image fails in a way that no damaged image explains: it has no dimensions then. */
  readonly onFailure?: (error: unknown) => void;
}

const taskUrl = (name: string) => new URL(`./${name}${extname(import.meta.url)}`, import.meta.url);

/** A task of these threads: the SHA1 of the UTF-8 bytes of a text, 40 hexadecimal digits in lower case. */
export function sha1Hex(text: string): string {
  return hash('sha1', text);
}

const full = (message: string) => new AppError('UPLOADS_FULL', { message });
const tooManyImages = () => full('Too many images wait to be measured');

/** Creates the pool, whose threads start with the first call. */
export function createMediaWorkers(options: MediaWorkersOptions = {}): MediaWorkers {
  const { limitMs = TIMEOUT_MS, queue = { max: MAX_QUEUE, waitMs: MAX_WAIT } } = options;
  const { imageTask = taskUrl('image-dimensions'), onFailure } = options;
  const pool = createWorkerPool({ maxThreads: MAX_THREADS, heapMb: HEAP_MB });
  // In front of the pool, so that the time for an image begins with its reading.
  const readers = new Permits({
    permits: MAX_THREADS,
    maxWaiting: queue.max,
    maxWaitMs: queue.waitMs,
    createError: tooManyImages,
  });
  let isClosed = false;

  const readImage = async (task: ImageTask): Promise<Dimensions | 'incomplete' | undefined> => {
    await readers.acquire();
    const signal = AbortSignal.timeout(limitMs);
    try {
      const call = { name: 'imageDimensions', module: imageTask.href, signal };
      return (await pool.run(task, call)) as Dimensions | 'incomplete' | undefined;
    } catch (error) {
      if (signal.aborted) throw full('Reading an image took too long');
      if (isClosed) throw full('The server is stopping');
      if (error instanceof StartError) throw error;
      onFailure?.(error);
      return undefined;
    } finally {
      readers.release();
    }
  };

  return {
    async dimensionsOf(ends, size) {
      const known = dimensionsInHeader(ends.head(MAX_HEADER_BYTES), size);
      if (known !== undefined) return known;
      const send = (headBytes: number, tailBytes: number, isPart: boolean) => {
        // Copies, as a view would transfer its whole buffer. The first bytes of a short file are all of it.
        const head = new Uint8Array(ends.head(headBytes));
        const tail = size > headBytes ? new Uint8Array(ends.tail(tailBytes)) : new Uint8Array(0);
        return readImage({ head, tail, size, isPart });
      };
      const isPart = size > SHORT_HEAD_BYTES;
      const short = await send(SHORT_HEAD_BYTES, SHORT_TAIL_BYTES, isPart);
      if (short !== 'incomplete') return short;
      const full = await send(IMAGE_HEAD_BYTES, IMAGE_TAIL_BYTES, false);
      return full === 'incomplete' ? undefined : full;
    },
    async sha1Of(text) {
      const signal = AbortSignal.timeout(HASH_TIMEOUT_MS);
      try {
        return (await pool.run(text, { name: 'sha1Hex', module: import.meta.url, signal })) as string;
      } catch {
        // A name is short: an upload must not wait for the images of others.
        return sha1Hex(text);
      }
    },
    async close() {
      isClosed = true;
      await pool.close();
    },
  };
}
