// Reads image dimensions and computes hashes on a small thread pool: hostile bytes may take any time to read.

import { hash } from 'node:crypto';
import { extname } from 'node:path';
import type { ImageTask } from './image-dimensions.ts';
import type { Dimensions } from './images/image-bytes.ts';
import { createWorkerPool } from './worker-pool.ts';

/** Bytes from the start of a file that are enough to find the dimensions of nearly every image. */
export const IMAGE_HEAD_BYTES = 524_288;
/** Bytes from the end of a longer file, where TIFF and WebP may keep what their dimensions depend on. */
export const IMAGE_TAIL_BYTES = 131_072;

/** Enough for most images. Both ends are sent in full only if needed: copying them costs more than reading them. */
const SHORT_HEAD_BYTES = 16_384;
const SHORT_TAIL_BYTES = 4_096;

const MAX_THREADS = 2;
const MAX_QUEUE = 64;
const HEAP_MB = 64;
/** From the call to the result, including the wait for a thread. */
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
   * Undefined when the bytes are no image of a known format, or take too long to read, or too many others wait. Never rejects.
   */
  dimensionsOf(ends: ImageHeadAndTail, size: number): Promise<Dimensions | undefined>;
  /** SHA1 of the UTF-8 bytes of a text, 40 hexadecimal digits in lower case. Never rejects. */
  sha1Of(text: string): Promise<string>;
  close(): Promise<void>;
}

export interface MediaWorkersOptions {
  /** Milliseconds after which the thread that reads an image is ended. */
  readonly limitMs?: number;
  /** Address of the module that exports `imageDimensions`. */
  readonly imageTask?: URL;
  /** Called when the pool itself fails, which the caller only sees as a missing result. */
  readonly onFailure?: (error: unknown) => void;
}

const taskUrl = (name: string) => new URL(`./${name}${extname(import.meta.url)}`, import.meta.url);

/** A task of these threads: the SHA1 of the UTF-8 bytes of a text, 40 hexadecimal digits in lower case. */
export function sha1Hex(text: string): string {
  return hash('sha1', text);
}

/** Creates the pool, whose threads start with the first call. */
export function createMediaWorkers(options: MediaWorkersOptions = {}): MediaWorkers {
  const { limitMs = TIMEOUT_MS, imageTask = taskUrl('image-dimensions'), onFailure } = options;
  const pool = createWorkerPool({ maxThreads: MAX_THREADS, maxQueue: MAX_QUEUE, heapMb: HEAP_MB });

  // Undefined if the pool is full, or the task takes too long: its thread is terminated then.
  const run = async <T>(
    task: unknown,
    { ms, ...about }: { ms: number; name: string; module: string },
  ): Promise<T | undefined> => {
    const signal = AbortSignal.timeout(ms);
    try {
      if (pool.waiting() >= MAX_QUEUE) return undefined;
      return (await pool.run(task, { ...about, signal })) as T;
    } catch (error) {
      if (!signal.aborted) onFailure?.(error);
      return undefined;
    }
  };

  return {
    async dimensionsOf(ends, size) {
      const about = { name: 'imageDimensions', module: imageTask.href, ms: limitMs };
      const send = (headBytes: number, tailBytes: number, isPart: boolean) => {
        // Copies, as a view would transfer its whole buffer. The first bytes of a short file are all of it.
        const head = new Uint8Array(ends.head(headBytes));
        const tail = size > headBytes ? new Uint8Array(ends.tail(tailBytes)) : new Uint8Array(0);
        const task: ImageTask = { head, tail, size, isPart };
        return run<Dimensions | 'incomplete'>(task, about);
      };
      const isPart = size > SHORT_HEAD_BYTES;
      const short = await send(SHORT_HEAD_BYTES, SHORT_TAIL_BYTES, isPart);
      if (short !== 'incomplete') return short;
      const full = await send(IMAGE_HEAD_BYTES, IMAGE_TAIL_BYTES, false);
      return full === 'incomplete' ? undefined : full;
    },
    async sha1Of(text) {
      const about = { name: 'sha1Hex', module: import.meta.url, ms: HASH_TIMEOUT_MS };
      // A name is short: an upload must not wait for the images of others.
      return (await run<string>(text, about)) ?? sha1Hex(text);
    },
    async close() {
      await pool.close();
    },
  };
}
