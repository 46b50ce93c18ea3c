// Media store on disk: files are at `<base path>/<key>`, incomplete uploads in a staging folder.
import { constants } from 'node:fs';
import { access, type FileHandle, lstat, opendir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { errorCodeOf } from '../../errors/errors.ts';
import { mapConcurrent } from '../../lib/async/concurrency.ts';
import { isFileMissing } from '../../lib/files/file-operations.ts';
import { openForReading } from '../../lib/files/read-whole-file.ts';
import type { Logger } from '../../lib/logger.ts';
import {
  createMediaOperations,
  isMediaKey,
  mediaKeyOfPath,
  randomHex,
  STAGING_FOLDER,
} from '../media-keys.ts';
import type { ByteRange, MediaStore, StoredFile } from '../media-store.ts';
import { stagedUploads, uploadId } from './disk-journal.ts';
import { DiskUpload, recoverDiskUpload } from './disk-upload.ts';
import { Flush } from './flush.ts';
import { createDiskErrorTranslator, isNoFileError, MediaFolder } from './media-folder.ts';

const MAX_REMOVED_AT_ONCE = 8;

interface DiskMediaOptions {
  /** Absolute path of the folder, created by the first upload. */
  readonly path: string;
  /** Prefix of `path` in records of files in a bucket: see `bucketKeyPrefix`. */
  readonly prefix: string;
  /** Whether a published file is on the disk, not only in the memory of the system (`media.sync`). Default: true. */
  readonly sync?: boolean;
  readonly log: Pick<Logger, 'error'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Sixteen hexadecimal characters, different at each call. Default: random. */
  readonly random?: () => string;
}

const found = ({ size, mtimeMs }: { size: number; mtimeMs: number }): StoredFile => ({
  size,
  modifiedAt: Math.floor(mtimeMs),
});

/** Size and time of a file; undefined if it does not exist. Links are not followed. */
async function statFile(file: string): Promise<StoredFile | undefined> {
  try {
    const stats = await lstat(file);
    return stats.isFile() ? found(stats) : undefined;
  } catch (error) {
    if (isNoFileError(error)) return undefined;
    throw error;
  }
}

async function holds(folder: MediaFolder, file: string): Promise<boolean> {
  try {
    return await folder.holds(file);
  } catch (error) {
    if (isNoFileError(error)) return false;
    throw error;
  }
}

/** Opens a regular file; undefined if it does not exist or is a link. */
async function openFile(file: string): Promise<FileHandle | undefined> {
  try {
    return await openForReading(file, false);
  } catch (error) {
    if (isNoFileError(error) || errorCodeOf(error) === 'ENXIO') return undefined;
    throw error;
  }
}

async function readFrom(file: string, range: ByteRange | undefined): Promise<Readable | undefined> {
  const handle = await openFile(file);
  if (handle === undefined) return undefined;
  try {
    const stats = await handle.stat();
    if (stats.isFile() && (range === undefined || range.start < stats.size)) {
      return handle.createReadStream({ ...range, autoClose: true });
    }
    await handle.close();
    return stats.isFile() ? Readable.from([]) : undefined;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function removeFile(folder: MediaFolder, key: string): Promise<void> {
  const file = folder.pathOf(key);
  if (file === undefined || !(await holds(folder, file)) || (await statFile(file)) === undefined) return;
  await unlink(file).catch((error: unknown) => {
    if (!isFileMissing(error)) throw error;
  });
  await folder.prune(file);
}

/** Lists every file below a folder. Ignores folders that are removed during the listing, and symbolic links. */
async function* filesIn(folder: string, key: string): AsyncGenerator<StoredFile & { readonly key: string }> {
  const entries = await opendir(folder).catch((error: unknown) => {
    if (isNoFileError(error)) return [];
    throw error;
  });
  for await (const entry of entries) {
    const inner = key === '' ? entry.name : `${key}/${entry.name}`;
    if (inner === STAGING_FOLDER) continue;
    if (entry.isDirectory()) yield* filesIn(join(folder, entry.name), inner);
    const file = entry.isFile() && isMediaKey(inner) ? await statFile(join(folder, entry.name)) : undefined;
    if (file !== undefined) yield { key: inner, ...file };
  }
}

/** Rejects unless the folder, or the nearest existing one above it, is writable. */
async function checkWritable(path: string): Promise<void> {
  try {
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if (errorCodeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    await checkWritable(dirname(path));
  }
}

/** Opens the media folder. Nothing is created before the first upload. */
export function openDiskMedia(options: DiskMediaOptions): MediaStore {
  const { path, prefix, sync = true, log, now, random = randomHex } = options;
  const flush = new Flush(sync);
  const folder = new MediaFolder(path, flush);
  const translateError = createDiskErrorTranslator(log, now);
  const operations = createMediaOperations(translateError);
  const { assertOpen, run, iterate } = operations;

  return {
    begin: (asked) =>
      run(async () => {
        const id = uploadId(now(), random(), asked.candidate(0));
        const onEnd = operations.startUpload(id);
        return new DiskUpload(asked, { id, folder, flush, translateError, assertOpen, onEnd });
      }),
    stat: (key) =>
      run(async () => {
        const file = folder.pathOf(key);
        return file !== undefined && (await holds(folder, file)) ? statFile(file) : undefined;
      }),
    read: (key, range) =>
      run(async () => {
        const file = folder.pathOf(key);
        return file !== undefined && (await holds(folder, file)) ? readFrom(file, range) : undefined;
      }),
    remove: (keys) =>
      run(async () => {
        await mapConcurrent(keys, MAX_REMOVED_AT_ONCE, (key) => removeFile(folder, key));
      }),
    list: () => iterate(() => filesIn(path, '')),
    unsettled: (before) =>
      iterate(async function* () {
        for (const [id, begun] of await stagedUploads(folder)) {
          if (begun >= before || operations.isRunning(id)) continue;
          assertOpen();
          yield await recoverDiskUpload(id, { folder, translateError });
        }
      }),
    pathOf: (key) => key,
    keyOf: (path) => mediaKeyOfPath(path, prefix),
    cloudUrlOf: () => undefined,
    health: () => run(() => checkWritable(path)),
    async close() {
      operations.close();
    },
  };
}
