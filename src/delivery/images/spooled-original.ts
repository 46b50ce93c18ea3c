// Originals on their way to a rendering: each is fetched whole before it takes a place among the renderings, so that a slow origin,
// bucket or network folder keeps nobody waiting but its own request. What is long lies in a temporary file meanwhile.
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { AppError } from '../../errors/errors.ts';
import { isOutOfResources } from '../../errors/start-error.ts';
import { onceAborted } from '../../lib/async/ownership.ts';

/** Bytes of one original that stay in memory. */
const MAX_MEMORY_BYTES = 256 * 1024;
/** Bytes that all originals may have together in temporary files; one alone may always have what an original may have. */
const MAX_SPOOLED_BYTES = 1024 * 1024 * 1024;

export interface SpooledOriginal {
  /** Bytes. */
  readonly size: number;
  /** All of them, once. */
  read(): Readable;
  /** Gives back memory and disk. Call it when whoever reads has ended. */
  release(): Promise<void>;
}

export interface OriginalSpool {
  /**
   * Reads an original whole, in `seconds` at most. Rejects with IMAGE_TOO_LARGE, RENDER_TIMEOUT, RENDER_BUSY when all originals
   * together are too many bytes, RENDER_FAILED when they cannot be kept, the reason of `signal`, or the error of the file;
   * nothing is open or kept then.
   */
  fetch(file: { open(): Promise<Readable> }, signal?: AbortSignal): Promise<SpooledOriginal>;
}

interface SpoolOptions {
  /** Bytes of one original. */
  readonly maxSourceBytes: number;
  /** For one original, from its opening on. */
  readonly seconds: number;
  /** Folder of temporary files; that of the system unless given. */
  readonly folder?: string;
  /** Bytes of all temporary files; `MAX_SPOOLED_BYTES` unless given. */
  readonly maxBytes?: number;
}

/** A file that is gone with the process: it has no name once it is open. */
async function openTemporaryFile(folder: string): Promise<FileHandle> {
  const path = join(folder, `cloister-original-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return handle;
}

/** Opens a file, and destroys its stream with `signal`: also one that comes when nobody waits for it any more. */
async function openUntil(
  file: { open(): Promise<Readable> },
  signal: AbortSignal,
): Promise<{ readonly stream: Readable; readonly forget: () => void }> {
  signal.throwIfAborted();
  const late = Promise.withResolvers<never>();
  const opening = file.open();
  const stopWaiting = onceAborted(signal, () => late.reject(signal.reason));
  try {
    const stream = await Promise.race([opening, late.promise]);
    const forget = onceAborted(signal, () => stream.destroy(signal.reason));
    return { stream, forget };
  } catch (error) {
    opening.then(
      (stream) => stream.destroy(),
      () => undefined,
    );
    throw error;
  } finally {
    stopWaiting();
  }
}

/** Bytes of an original as they come: in memory at first, then in a file. */
class Spooling {
  readonly #openFile: () => Promise<FileHandle>;
  readonly #reserve: (bytes: number) => void;
  #pieces: Buffer[] = [];
  #file: FileHandle | undefined;
  #size = 0;
  #reserved = 0;

  constructor(openFile: () => Promise<FileHandle>, reserve: (bytes: number) => void) {
    this.#openFile = openFile;
    this.#reserve = reserve;
  }

  size(): number {
    return this.#size;
  }

  async add(bytes: Buffer): Promise<void> {
    this.#size += bytes.length;
    if (this.#file === undefined && this.#size <= MAX_MEMORY_BYTES) {
      this.#pieces.push(bytes);
      return;
    }
    this.#reserve(this.#size - this.#reserved);
    this.#reserved = this.#size;
    try {
      this.#file ??= await this.#openFile();
      for (const piece of [...this.#pieces.splice(0), bytes]) await this.#file.appendFile(piece);
    } catch (cause) {
      if (isOutOfResources(cause)) throw cause;
      throw new AppError('RENDER_FAILED', { cause });
    }
  }

  read(): Readable {
    if (this.#file === undefined) return Readable.from(this.#pieces.splice(0), { objectMode: false });
    return this.#file.createReadStream({ start: 0, autoClose: false });
  }

  async release(): Promise<void> {
    const file = this.#file;
    const reserved = this.#reserved;
    this.#pieces = [];
    this.#file = undefined;
    this.#reserved = 0;
    await file?.close();
    this.#reserve(-reserved);
  }
}

/** Makes the spool. There is no file before the first long original. */
export function createOriginalSpool(options: SpoolOptions): OriginalSpool {
  const { maxSourceBytes, seconds, folder = tmpdir(), maxBytes = MAX_SPOOLED_BYTES } = options;
  const total = Math.max(maxBytes, maxSourceBytes);
  let used = 0;
  const reserve = (bytes: number) => {
    if (bytes > 0 && used + bytes > total) throw new AppError('RENDER_BUSY');
    used += bytes;
  };

  return {
    async fetch(file, signal) {
      signal?.throwIfAborted();
      const stop = new AbortController();
      const forgetSignal = onceAborted(signal, () => stop.abort(signal?.reason));
      const tooSlow = new AppError('RENDER_TIMEOUT');
      const timer = setTimeout(() => stop.abort(tooSlow), seconds * 1000);
      const spooling = new Spooling(() => openTemporaryFile(folder), reserve);
      try {
        const { stream, forget } = await openUntil(file, stop.signal);
        try {
          // Ends the stream wherever it is left.
          for await (const chunk of stream) {
            if (spooling.size() + (chunk as Buffer).length > maxSourceBytes) {
              const message = `The image has more than ${maxSourceBytes} bytes`;
              throw new AppError('IMAGE_TOO_LARGE', { message });
            }
            await spooling.add(chunk as Buffer);
          }
          stop.signal.throwIfAborted();
        } finally {
          forget();
        }
        return {
          size: spooling.size(),
          read: () => spooling.read(),
          release: () => spooling.release(),
        };
      } catch (error) {
        await spooling.release();
        throw error;
      } finally {
        clearTimeout(timer);
        forgetSignal();
      }
    },
  };
}
