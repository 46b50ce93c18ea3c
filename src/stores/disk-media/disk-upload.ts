// An upload to disk: the bytes are staged, then the journal is written, then the file gets its final name. Each step is on the disk
// before the next one begins, unless nothing is flushed.
import { type FileHandle, open } from 'node:fs/promises';
import { isFileMissing, OWNER_ONLY_MODE } from '../../lib/files/file-operations.ts';
import { findFreeKey, type TranslateError, uploadDiscardedError } from '../media-keys.ts';
import type { MediaKey, MediaUpload, MediaUploadOptions, UnsettledUpload } from '../media-store.ts';
import {
  bytesPath,
  type FileIdentity,
  findFileIdentity,
  isStaged,
  publishStaged,
  readJournal,
  removeStaged,
  removeStoredFile,
  settleStaged,
} from './disk-journal.ts';
import type { Flush } from './flush.ts';
import type { MediaFolder } from './media-folder.ts';

/** Bytes that are buffered before a write, so that a small file takes one. */
const MAX_GATHERED = 262_144;
/** How often a folder is created again after another request removed it as empty. */
const MAX_PRUNED = 100;

interface DiskUploadDeps {
  readonly id: string;
  readonly folder: MediaFolder;
  readonly flush: Flush;
  readonly translateError: TranslateError;
  /** Throws `unavailable` once the store is closed. */
  readonly assertOpen: () => void;
  /** Called when the upload is settled, discarded or abandoned, also if that fails. */
  readonly onEnd: () => void;
}

/** Appends chunks to the file without copying them. */
async function writeAll(handle: FileHandle, chunks: readonly Uint8Array[]): Promise<void> {
  let rest = chunks;
  while (rest.length > 0) {
    const { bytesWritten } = await handle.writev(rest);
    rest = chunksFrom(rest, bytesWritten);
  }
}

/** Returns the chunks after the first `start` bytes: a write may be partial, on a full disk for example. */
function chunksFrom(chunks: readonly Uint8Array[], start: number): readonly Uint8Array[] {
  let skip = start;
  const first = chunks.findIndex((chunk) => {
    if (skip < chunk.length) return true;
    skip -= chunk.length;
    return false;
  });
  const [cut, ...others] = first === -1 ? [] : chunks.slice(first);
  return cut === undefined ? [] : [cut.subarray(skip), ...others];
}

/** Removes a published file and the folders that become empty, if the file is still the one of this upload. */
async function removePublished(folder: MediaFolder, file: string, identity: FileIdentity): Promise<void> {
  if ((await findFileIdentity(file)) !== identity) return;
  await removeStoredFile(file);
  await folder.prune(file);
}

export class DiskUpload implements MediaUpload {
  readonly #options: MediaUploadOptions;
  readonly #deps: DiskUploadDeps;
  #published: { readonly key: MediaKey; readonly file: string } | undefined;
  #publishing: Promise<unknown> | undefined;
  #discarded = false;

  constructor(options: MediaUploadOptions, deps: DiskUploadDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  async write(source: AsyncIterable<Uint8Array>): Promise<number> {
    const { folder, flush, id } = this.#deps;
    const handle = await this.#attempt(() => this.#openStaged());
    try {
      const bytes = await this.#copy(source, handle);
      // The name in the staging folder is the journal: with it a cleanup finds what was published.
      await this.#attempt(() => Promise.all([flush.file(handle), folder.flushName(bytesPath(folder, id))]));
      return bytes;
    } finally {
      await this.#attempt(async () => {
        await handle.close();
        if (this.#discarded) await removeStaged(folder, id);
      });
    }
  }

  publish(): Promise<MediaKey> {
    const published = this.#attempt(() => this.#publish());
    this.#publishing = published.catch(() => undefined);
    return published;
  }

  async settle(): Promise<void> {
    const { folder, id, onEnd } = this.#deps;
    try {
      await this.#attempt(() => settleStaged(folder, id, this.#published?.key));
    } finally {
      onEnd();
    }
  }

  abandon(): void {
    this.#deps.onEnd();
  }

  async discard(): Promise<void> {
    this.#discarded = true;
    await this.#publishing;
    const { folder, id, onEnd } = this.#deps;
    try {
      await this.#attempt(async () => {
        if (this.#published !== undefined) {
          const entry = await readJournal(folder, id);
          if (entry?.identity !== undefined)
            await removePublished(folder, this.#published.file, entry.identity);
        }
        await removeStaged(folder, id);
      });
    } finally {
      onEnd();
    }
  }

  async #openStaged(): Promise<FileHandle> {
    const { folder, id } = this.#deps;
    this.#assertRunning();
    const make = () => open(bytesPath(folder, id), 'wx', OWNER_ONLY_MODE);
    try {
      return await make();
    } catch (error) {
      if (!isFileMissing(error)) throw error;
      await folder.makeStaging();
      return make();
    }
  }

  async #copy(source: AsyncIterable<Uint8Array>, handle: FileHandle): Promise<number> {
    let bytes = 0;
    let gathered: Uint8Array[] = [];
    let waiting = 0;
    const flush = async () => {
      this.#assertRunning();
      if (waiting > 0) await this.#attempt(() => writeAll(handle, gathered));
      gathered = [];
      waiting = 0;
    };
    for await (const chunk of source) {
      if (chunk.length === 0) continue;
      gathered.push(chunk);
      waiting += chunk.length;
      bytes += chunk.length;
      if (waiting >= MAX_GATHERED) await flush();
    }
    await flush();
    return bytes;
  }

  #publish(): Promise<MediaKey> {
    return findFreeKey(this.#options.candidate, async (key) => {
      this.#assertRunning();
      const file = this.#deps.folder.pathOf(key);
      if (file === undefined || !(await this.#publishAt(key, file))) return undefined;
      this.#published = { key, file };
      await this.#deps.folder.flushName(file);
      return key;
    });
  }

  /** Publishes under this name unless it is taken. Creates the folders, again if another request removes them. */
  async #publishAt(key: MediaKey, file: string): Promise<boolean> {
    const { folder, id } = this.#deps;
    for (let attempt = 0; ; attempt += 1) {
      try {
        if (!(await folder.holds(file))) await folder.makeParent(file);
        return await publishStaged(folder, id, { key, file });
      } catch (error) {
        if (!isFileMissing(error) || attempt === MAX_PRUNED || !(await isStaged(folder, id))) throw error;
      }
      await folder.makeParent(file).catch((error: unknown) => {
        // Another request removed a folder between two steps.
        if (!isFileMissing(error)) throw error;
      });
    }
  }

  #assertRunning(): void {
    this.#deps.assertOpen();
    if (this.#discarded) throw uploadDiscardedError();
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#deps.translateError(error);
    }
  }
}

/** Restores the upload of an ended process from the staging folder. */
export async function recoverDiskUpload(
  id: string,
  { folder, translateError }: Pick<DiskUploadDeps, 'folder' | 'translateError'>,
): Promise<UnsettledUpload> {
  const entry = await readJournal(folder, id);
  const file = entry === undefined ? undefined : folder.pathOf(entry.key);
  const isOurs = async () => {
    if (entry?.identity === undefined || file === undefined) return false;
    return (await findFileIdentity(file)) === entry.identity && (await folder.holds(file));
  };
  const end = async (work: () => Promise<void>) => {
    try {
      await work();
      await removeStaged(folder, id);
    } catch (error) {
      throw translateError(error);
    }
  };
  return {
    key: (await isOurs()) ? entry?.key : undefined,
    settle: () => end(async () => undefined),
    discard: () =>
      end(async () => {
        if (entry?.identity === undefined || file === undefined || !(await isOurs())) return;
        await removePublished(folder, file, entry.identity);
      }),
  };
}
