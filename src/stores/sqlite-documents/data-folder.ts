// The folder of the data file: who may read it, and which process has it.
import { chmodSync, closeSync, mkdirSync, openSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isMissing } from '../../lib/missing-file.ts';

/** The data hold secrets: for their owner only. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const OTHERS = 0o077;

const DATA_FILE = 'cloister.db';
/** SQLite gives what it makes beside the data file the mode of that file. */
const COMPANIONS = ['', '-wal', '-shm'];

/** Makes `file`, empty, when it is missing. One that is there is not opened: closing it would end SQLite's locks on it. */
export function ensurePrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', FILE_MODE));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** Takes the rights of group and others away. False where they have some and keep them. */
function narrowMode(file: string): boolean {
  try {
    const { mode } = statSync(file);
    if ((mode & OTHERS) !== 0) chmodSync(file, mode & ~OTHERS & 0o777);
    return true;
  } catch (error) {
    return isMissing(error);
  }
}

/**
 * Makes folder and data file when missing, and gives the path of the file. Files that are open to others are narrowed;
 * `warn` hears of those where that cannot be done, because they are somebody else's or the file system has no modes.
 */
export function prepareFolder(path: string, warn: (message: string) => void): string {
  mkdirSync(path, { recursive: true, mode: FOLDER_MODE });
  const file = join(path, DATA_FILE);
  ensurePrivateFile(file);
  for (const companion of COMPANIONS) {
    if (!narrowMode(`${file}${companion}`)) warn(`others than its owner may open ${file}${companion}`);
  }
  return file;
}

/** Bytes that this user may still write to the disk of `path`; Infinity when the system does not say. */
export function freeBytes(path: string): number {
  try {
    const { bavail, blocks, bsize } = statfsSync(path);
    // Some file systems, networked ones above all, count nothing: a disk without any block has no files.
    return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
