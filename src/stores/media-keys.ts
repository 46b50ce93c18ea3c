// What all media stores have in common: keys of files, ids of uploads, the search for a free key, and the state of an open store.

import { randomBytes } from 'node:crypto';
import { StoreError } from '../errors/errors.ts';
import { isRestoreName } from '../lib/files/restore-names.ts';
import type { MediaKey, MediaUploadOptions } from './media-store.ts';

/** Bytes of one part: the limit of common file systems for a name. */
const MAX_PART_BYTES = 255;
/** Bytes of a key: with a prefix of up to 124 bytes it stays within the 1024 of a bucket. */
const MAX_KEY_BYTES = 900;

/** Name at the top of a media store where uploads are staged: no file has a key below it. */
export const STAGING_FOLDER = '.uploads';

// A backslash separates folders on Windows, and no name that we make has control characters.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const FORBIDDEN = /[\u0000-\u001f\u007f\\]/;

function isPart(part: string): boolean {
  return part !== '' && part !== '.' && part !== '..' && Buffer.byteLength(part) <= MAX_PART_BYTES;
}

/** True for a valid key: relative, without empty, `.` or `..` parts, neither staged nor put aside by a restore. */
export function isMediaKey(key: string): boolean {
  if (Buffer.byteLength(key) > MAX_KEY_BYTES || FORBIDDEN.test(key) || !key.isWellFormed()) return false;
  const parts = key.split('/');
  const [first = ''] = parts;
  return parts.every(isPart) && first.toLowerCase() !== STAGING_FOLDER && !isRestoreName(first);
}

/** The prefix of a bucket for `media.basePath`: its parts without empty ones and `.`, ended by `/`; empty for the root. */
export function bucketKeyPrefix(basePath: string): string {
  const parts = basePath.split('/').filter((part) => part !== '' && part !== '.');
  return parts.map((part) => `${part}/`).join('');
}

/** The key of a file whose record has this `path`, with the prefix of a bucket or without. */
export function mediaKeyOfPath(path: string, prefix: string): string {
  return prefix !== '' && path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

/** Keys that an upload tries. Every one that is taken belongs to a file of the same name in the same folder. */
const MAX_CANDIDATES = 10_000;

/** Turns what the disk or the bucket throws into a StoreError, and logs it. */
export type TranslateError = (error: unknown) => StoreError;

/** Sixteen random hexadecimal characters. */
export const randomHex = (): string => randomBytes(8).toString('hex');

/** The id of an upload: the time at which it began, in epoch milliseconds, and a random part. */
export const createUploadId = (now: number, random: string): string =>
  `${String(now).padStart(13, '0')}-${random}`;

/** Thrown by every step of an upload after `discard`. */
export const uploadDiscardedError = (): StoreError =>
  new StoreError('failed', { store: 'media', cause: new Error('the upload was discarded') });

/**
 * Passes the candidates of an upload to `tryKey` until it returns a value. Throws `refused` for a candidate that is not a valid
 * key, `busy` when too many of them are taken.
 */
export async function findFreeKey<T>(
  candidate: MediaUploadOptions['candidate'],
  tryKey: (key: MediaKey) => Promise<T | undefined>,
): Promise<T> {
  for (let attempt = 0; attempt < MAX_CANDIDATES; attempt += 1) {
    const key = candidate(attempt);
    if (!isMediaKey(key)) {
      const explanation = 'the name of the file cannot be stored';
      throw new StoreError('refused', { store: 'media', explanation });
    }
    const result = await tryKey(key);
    if (result !== undefined) return result;
  }
  throw new StoreError('busy', { store: 'media', explanation: 'too many files have this name' });
}

/** The state of an open media store. */
export interface MediaOperations {
  /** Throws `unavailable` once the store is closed. */
  assertOpen(): void;
  /** Runs one operation. Rejects with StoreErrors only. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** The same for an operation that yields. */
  iterate<T>(work: () => AsyncIterable<T>): AsyncGenerator<T>;
  /** Registers an upload of this process. Returns the function to call when it ends. */
  startUpload(id: string): () => void;
  /** Whether an upload of this process is still running. */
  isRunning(id: string): boolean;
  close(): void;
}

/** Creates the state of a store that has just been opened. */
export function createMediaOperations(translateError: TranslateError): MediaOperations {
  const running = new Set<string>();
  let closed = false;
  const assertOpen = () => {
    if (!closed) return;
    throw new StoreError('unavailable', { store: 'media', cause: new Error('the media store is closed') });
  };
  return {
    assertOpen,
    async run(work) {
      try {
        assertOpen();
        return await work();
      } catch (error) {
        throw translateError(error);
      }
    },
    async *iterate(work) {
      try {
        assertOpen();
        yield* work();
      } catch (error) {
        throw translateError(error);
      }
    },
    startUpload(id) {
      running.add(id);
      return () => running.delete(id);
    },
    isRunning: (id) => running.has(id),
    close() {
      closed = true;
    },
  };
}
