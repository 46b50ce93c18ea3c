// The media folder: paths of keys, and checks that symbolic links do not lead out of it.
import { chmod, lstat, mkdir, realpath, rmdir } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { isFileMissing } from '../../lib/files/file-operations.ts';
import { isMediaKey, STAGING_FOLDER } from '../media-operations.ts';
import { errorCodeOf } from './disk-errors.ts';

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
