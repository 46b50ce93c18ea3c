// The media folder: paths of keys, checks that symbolic links do not lead out of it, and what errors of the file system below it
// mean: a StoreError for the caller and a rate-limited log line for the operator.
import { chmod, lstat, realpath, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCodeOf, StoreError } from '../../errors/errors.ts';
import { isWithin } from '../../lib/files/containment.ts';
import { isFileMissing, makeFolder } from '../../lib/files/file-operations.ts';
import { createLogThrottle, type Logger } from '../../lib/logger.ts';
import { isMediaKey, STAGING_FOLDER, type TranslateError } from '../media-keys.ts';
import type { Flush } from './flush.ts';

const FOLDER_MODE = 0o700;

/** Ways of the file system to say that no file of ours can be under a path. */
const NO_FILE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EISDIR']);

/** True for an error which says that there is no file under a path. */
export const isNoFileError = (error: unknown): boolean => NO_FILE.has(errorCodeOf(error));

/** A symbolic link below the media folder leads out of it, or nowhere. */
class OutsideError extends Error {
  constructor(path: string) {
    super(`a link on the way to ${path} leads out of the media folder`);
  }
}

/** One folder with everything below it. Symbolic links inside may lead to other places inside, never outside. */
export class MediaFolder {
  /** Absolute. */
  readonly path: string;
  /** Absolute path of the folder in which uploads are staged. */
  readonly staging: string;
  /** Where the path led when it was followed last. */
  #root: string | undefined;
  readonly #flush: Flush;
  /** Folders that were made and whose own names may not be on the disk yet. */
  readonly #made = new Set<string>();

  constructor(path: string, flush: Flush) {
    this.path = path;
    this.#flush = flush;
    this.staging = join(path, STAGING_FOLDER);
  }

  /** Path of the file with this key; undefined for a text that is no key. */
  pathOf(key: string): string | undefined {
    return isMediaKey(key) ? join(this.path, ...key.split('/')) : undefined;
  }

  /** Whether the folder that holds `file` lies inside, whatever links are on the way. Rejects with ENOENT when it is missing. */
  async holds(file: string): Promise<boolean> {
    return this.#isInside(await realpath(dirname(file)));
  }

  /** Makes the folder for a file. Rejects, and makes nothing, where a link leads out of the media folder. */
  async makeParent(file: string): Promise<void> {
    const parent = dirname(file);
    await this.#make(this.path);
    if (!(await this.#isInside(await this.#nearest(parent)))) throw new OutsideError(file);
    await this.#make(parent);
  }

  /** Whether what is written is flushed to the disk. */
  get isFlushed(): boolean {
    return this.#flush.isOn;
  }

  /** Resolves once the name of a file, and those of folders that were made for it, are on the disk. */
  async flushName(file: string): Promise<void> {
    const folder = dirname(file);
    await this.#flush.folder(folder);
    if (!this.#made.has(folder)) return;
    await this.flushName(folder);
    this.#made.delete(folder);
  }

  /** The real path of a folder, or of the nearest one above it that is there. */
  async #nearest(folder: string): Promise<string> {
    try {
      return await realpath(folder);
    } catch (error) {
      if (!isFileMissing(error) || folder.length <= this.path.length) throw error;
    }
    // A link to something that is not there would have it made.
    const found = await lstat(folder).catch((error: unknown) => {
      if (!isFileMissing(error)) throw error;
    });
    if (found?.isSymbolicLink()) throw new OutsideError(folder);
    return this.#nearest(dirname(folder));
  }

  async #make(folder: string): Promise<void> {
    const first = await makeFolder(folder, FOLDER_MODE);
    if (first === undefined || !this.#flush.isOn) return;
    for (let made = folder; made.length >= first.length; made = dirname(made)) this.#made.add(made);
  }

  async #isInside(parent: string): Promise<boolean> {
    // An operator may have replaced the folder since.
    if (this.#root === undefined || !isWithin(this.#root, parent)) this.#root = await realpath(this.path);
    return isWithin(this.#root, parent) && !isWithin(join(this.#root, STAGING_FOLDER), parent);
  }

  /** Makes the staging folder. Its mode is set again, as a copied folder may be open to others. */
  async makeStaging(): Promise<void> {
    await this.#make(this.staging);
    if (!(await lstat(this.staging)).isDirectory()) {
      throw new Error(`${STAGING_FOLDER} in the media folder is not a folder`);
    }
    await chmod(this.staging, FOLDER_MODE);
  }

  /** Removes the folders above `file`, up to the media folder, as long as they are empty. */
  async prune(file: string): Promise<void> {
    for (let folder = dirname(file); folder.length > this.path.length; folder = dirname(folder)) {
      try {
        await rmdir(folder);
      } catch (error) {
        // A folder that another request removed is gone; one that is not empty, or a link, stays, and so do those above.
        if (!isFileMissing(error)) return;
      }
    }
  }
}

type Fault = 'full' | 'access' | 'removed' | 'disk' | 'descriptors' | 'memory' | 'outside' | 'unexpected';

const KIND_BY_CODE: ReadonlyMap<unknown, Fault> = new Map([
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EACCES', 'access'],
  ['EPERM', 'access'],
  ['EROFS', 'access'],
  ['ENOTDIR', 'access'],
  ['ENOENT', 'removed'],
  ['EIO', 'disk'],
  ['ESTALE', 'disk'],
  ['ENXIO', 'disk'],
  ['EMFILE', 'descriptors'],
  ['ENFILE', 'descriptors'],
  ['ENOMEM', 'memory'],
]);

const MESSAGES: Readonly<Record<Fault, string>> = {
  full: 'the disk of the media folder is full: uploads are answered with 503 until there is room',
  access: 'the media folder cannot be read or written: look at the owner and mode of `media.basePath`',
  removed: 'the media folder, or files in it, were removed during an upload',
  disk: 'the disk of the media folder fails: affected requests are answered with 503',
  descriptors: 'too many files are open: raise the limit of open files (`ulimit -n`)',
  memory: 'there is not enough memory for media files',
  outside: 'a link below the media folder leads out of it, or nowhere: uploads through it are refused',
  unexpected: 'the media folder failed',
};

const EVERY_MS = 60_000;

/** Creates the translation of errors. Each kind is logged once a minute; `now` is in milliseconds. */
export function createDiskErrorTranslator(log: Pick<Logger, 'error'>, now: () => number): TranslateError {
  const limit = createLogThrottle({ everyMs: EVERY_MS, now });
  return (error) => {
    if (error instanceof StoreError) return error;
    const isOutside = error instanceof OutsideError;
    const kind = isOutside ? 'outside' : (KIND_BY_CODE.get(errorCodeOf(error)) ?? 'unexpected');
    const line = limit(kind);
    if (line !== undefined) {
      const detail = error instanceof Error ? error.message : String(error);
      const fields = kind === 'unexpected' ? { err: error } : { detail };
      log.error({ fault: kind, ...fields, ...line }, MESSAGES[kind]);
    }
    if (!isOutside) return new StoreError('unavailable', { store: 'media', cause: error });
    const explanation = 'The folder of this collection cannot take files: the log of the server says why';
    return new StoreError('refused', { store: 'media', explanation, cause: error });
  };
}
