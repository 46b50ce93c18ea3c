// Originals in a folder of this machine, and the file that replaces missing images. Nothing outside of the folder is read,
// whatever a path or a link says.

import type { Stats } from 'node:fs';
import { type FileHandle, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { errorCodeOf, StoreError } from '../../errors/errors.ts';
import { isWithin } from '../../lib/files/containment.ts';
import { isFileMissing } from '../../lib/files/file-operations.ts';
import { openForReading } from '../../lib/files/read-whole-file.ts';
import type { ByteRange } from '../../stores/media-store.ts';
import type { OriginalFile, OriginalSource } from '../model/delivery-types.ts';
import { deliveredContentType, isRasterImage } from '../responses/content-types.ts';
import { isOriginalPath } from './original-path.ts';
import { heldToSize } from './source-chain.ts';

/** Files whose place is remembered. */
const MAX_SEEN = 10_000;

/** The time of the last change of any kind counts, too: that of the contents can be set back. */
const validatorOf = ({ ino, size, mtimeMs, ctimeMs }: Stats) => `${ino}-${size}-${mtimeMs}-${ctimeMs}`;

/** What tells a file from every other: the time of the last change of its name or place is in it. */
const markOf = (stats: Stats) => `${stats.dev} ${validatorOf(stats)}`;

/** Errors that a path from outside can cause: it is too long, or has too many links, or this user may not follow it. */
const UNREACHABLE: ReadonlySet<unknown> = new Set(['ENAMETOOLONG', 'ELOOP', 'EACCES', 'EINVAL']);

function isAbsent(error: unknown): boolean {
  return isFileMissing(error) || UNREACHABLE.has(errorCodeOf(error));
}

/** Opens a file that must still be the one that was found. Rejects with StoreError. */
async function openUnchanged(file: string, validator: string): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    handle = await openForReading(file, false);
  } catch (cause) {
    throw new StoreError('conflict', { store: 'media', cause });
  }
  try {
    if (validatorOf(await handle.stat()) === validator) return handle;
  } catch (cause) {
    await handle.close();
    throw new StoreError('unavailable', { store: 'media', cause });
  }
  await handle.close();
  throw new StoreError('conflict', { store: 'media' });
}

/** Describes a regular file. `open` rejects with a StoreError where the file has changed since. */
function describeFile(file: string, stats: Stats): OriginalFile {
  const validator = validatorOf(stats);
  return {
    size: stats.size,
    modifiedAt: Math.floor(stats.mtimeMs),
    validator,
    contentType: undefined,
    async open(range?: ByteRange): Promise<Readable> {
      if (stats.size === 0) return Readable.from([]);
      const handle = await openUnchanged(file, validator);
      // A file that grows meanwhile must not send more than was announced.
      return handle.createReadStream({ start: range?.start ?? 0, end: range?.end ?? stats.size - 1 });
    },
  };
}

/** Makes the source. `root`: absolute path of the folder, which need not exist. */
export function createDirectorySource(root: string): OriginalSource {
  // Following links costs several times as much as looking at a file: a file that is the same leads to the same place.
  const seen = new LRUCache<string, { readonly mark: string; readonly file: string }>({ max: MAX_SEEN });

  /** Where a path leads, all links followed; undefined where that is outside of the folder. */
  const follow = async (named: string, mark: string): Promise<string | undefined> => {
    const before = seen.get(named);
    if (before?.mark === mark) return before.file;
    const [folder, file] = await Promise.all([realpath(root), realpath(named)]);
    if (!isWithin(folder, file)) return undefined;
    seen.set(named, { mark, file });
    return file;
  };

  return {
    async find(path) {
      if (!isOriginalPath(path)) return undefined;
      try {
        const named = join(root, path);
        const stats = await stat(named);
        if (!stats.isFile()) return undefined;
        // Whoever opens the file makes sure that it is the one these are about.
        const file = await follow(named, markOf(stats));
        return file === undefined ? undefined : describeFile(file, stats);
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw new StoreError('unavailable', { store: 'media', cause: error });
      }
    },
  };
}

/** An icon is no picture that a recipe takes: sites have it beside their scripts. */
const ICON_TYPE = 'image/x-icon';

function isPictureName(path: string): boolean {
  const type = deliveredContentType(path, undefined);
  return isRasterImage(type) && type !== ICON_TYPE;
}

/** Makes the source of a folder for what is no picture by its name. `root` as above. */
export function createAssetSource(root: string): OriginalSource {
  const folder = createDirectorySource(root);
  return { find: async (path) => (isPictureName(path) ? undefined : folder.find(path)) };
}

/** Makes the function that finds the file that replaces missing images. `file`: absolute path; undefined where nothing stands in. */
export function createFallbackFileFinder(file: string | undefined): () => Promise<OriginalFile | undefined> {
  return async () => {
    if (file === undefined) return undefined;
    try {
      const stats = await stat(file);
      if (!stats.isFile()) return undefined;
      const found = heldToSize(describeFile(file, stats));
      return { ...found, contentType: deliveredContentType(basename(file), undefined) };
    } catch (error) {
      if (isFileMissing(error)) return undefined;
      throw error;
    }
  };
}
