// Flushes files and folders to the disk, so that bytes and names survive a power failure. Those who ask for one folder at the same
// time share a flush.
import { type FileHandle, open } from 'node:fs/promises';
import { errorCodeOf } from '../../errors/errors.ts';
import { createSemaphore } from '../../lib/async/concurrency.ts';

/** Flushes at a time: each holds one of the few threads that read and write all files. */
const MAX_AT_ONCE = 2;
/** File systems that cannot flush a folder say one of these; they write names in order, or promise nothing. */
const NO_FLUSH: ReadonlySet<unknown> = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

interface FolderFlush {
  readonly running: Promise<void>;
  /** What those wait for who came after the running flush had begun. */
  next: Promise<void> | undefined;
}

export class Flush {
  readonly #isOn: boolean;
  readonly #run = createSemaphore(MAX_AT_ONCE);
  readonly #folders = new Map<string, FolderFlush>();

  /** Flushes nothing unless `isOn`. */
  constructor(isOn: boolean) {
    this.#isOn = isOn;
  }

  /** Whether anything is flushed. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** Resolves once the bytes of an open file are on the disk. Rejects with what the system says. */
  async file(handle: Pick<FileHandle, 'sync'>): Promise<void> {
    if (this.#isOn) await this.#run(() => syncHandle(handle));
  }

  /** Resolves once the names that are in a folder now are on the disk. */
  async folder(path: string): Promise<void> {
    // Windows cannot flush a folder; its file system keeps a journal of names.
    if (!this.#isOn || process.platform === 'win32') return;
    const known = this.#folders.get(path);
    if (known === undefined) return this.#start(path);
    known.next ??= known.running.catch(() => undefined).then(() => this.#start(path));
    return known.next;
  }

  async #start(path: string): Promise<void> {
    const running = this.#run(() => syncFolder(path));
    const entry: FolderFlush = { running, next: undefined };
    this.#folders.set(path, entry);
    try {
      await running;
    } finally {
      if (entry.next === undefined) this.#folders.delete(path);
    }
  }
}

async function syncHandle(handle: Pick<FileHandle, 'sync'>): Promise<void> {
  try {
    await handle.sync();
  } catch (error) {
    if (!NO_FLUSH.has(errorCodeOf(error))) throw error;
  }
}

async function syncFolder(path: string): Promise<void> {
  const handle = await openFolder(path);
  if (handle === undefined) return;
  try {
    await syncHandle(handle);
  } finally {
    await handle.close();
  }
}

/** Undefined for a folder that may be written and not read: nobody can flush it. */
async function openFolder(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (errorCodeOf(error) === 'EACCES') return undefined;
    throw error;
  }
}
