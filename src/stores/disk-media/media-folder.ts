// The media folder: paths of keys, checks that symbolic links do not lead out of it, and what errors of the file system below it
// mean: a StoreError for the caller and a rate-limited log line for the operator.
import { chmod, lstat, mkdir, realpath, rmdir } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { StoreError } from '../../errors/errors.ts';
import { isFileMissing } from '../../lib/files/file-operations.ts';
import { createLogThrottle, type Logger } from '../../lib/logger.ts';
import { isMediaKey, STAGING_FOLDER, type TranslateError } from '../media-operations.ts';

const FOLDER_MODE = 0o700;

/** Ways of the file system to say that no file of ours can be under a path. */
const NO_FILE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EISDIR']);

/** True for an error which says that there is no file under a path. */
export const isNoFileError = (error: unknown): boolean => NO_FILE.has(errorCodeOf(error));

/** One folder with everything below it. Symbolic links inside may lead to other places inside, never outside. */
export class MediaFolder {
  /** Absolute. */
  readonly path: string;
  /** Absolute path of the folder in which uploads are staged. */
  readonly staging: string;
  /** Where the path led when it was followed last. */
  #root: string | undefined;

  constructor(path: string) {
    this.path = path;
    this.staging = join(path, STAGING_FOLDER);
  }

  /** Path of the file with this key; undefined for a text that is no key. */
  pathOf(key: string): string | undefined {
    return isMediaKey(key) ? join(this.path, ...key.split('/')) : undefined;
  }

  /** Whether the folder that holds `file` lies inside, whatever links are on the way. Rejects with ENOENT when it is missing. */
  async holds(file: string): Promise<boolean> {
    const parent = await realpath(dirname(file));
    const isBelow = (folder: string) => parent === folder || parent.startsWith(folder + sep);
    // An operator may have replaced the folder since.
    if (this.#root === undefined || !isBelow(this.#root)) this.#root = await realpath(this.path);
    return isBelow(this.#root) && !isBelow(join(this.#root, STAGING_FOLDER));
  }

  /** Makes the folder for a file. */
  async makeParent(file: string): Promise<void> {
    await mkdir(dirname(file), { recursive: true, mode: FOLDER_MODE });
  }

  /** Makes the staging folder. Its mode is set again, as a copied folder may be open to others. */
  async makeStaging(): Promise<void> {
    await mkdir(this.staging, { recursive: true, mode: FOLDER_MODE });
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

type Fault = 'full' | 'access' | 'removed' | 'disk' | 'descriptors' | 'memory' | 'unexpected';

const FAULTS: ReadonlyMap<unknown, Fault> = new Map([
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
  unexpected: 'the media folder failed',
};

const EVERY_MS = 60_000;

/** The code of an error of the operating system, such as `ENOENT`; undefined for any other value. */
export function errorCodeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Creates the translation of errors. Each kind is logged once a minute; `now` is in milliseconds. */
export function createDiskErrorTranslator(log: Pick<Logger, 'error'>, now: () => number): TranslateError {
  const limit = createLogThrottle({ everyMs: EVERY_MS, now });
  return (error) => {
    if (error instanceof StoreError) return error;
    const fault = FAULTS.get(errorCodeOf(error)) ?? 'unexpected';
    const line = limit(fault);
    if (line !== undefined) {
      const detail = error instanceof Error ? error.message : String(error);
      const fields = fault === 'unexpected' ? { err: error } : { detail };
      log.error({ fault, ...fields, ...line }, MESSAGES[fault]);
    }
    return new StoreError('unavailable', { store: 'media', cause: error });
  };
}
