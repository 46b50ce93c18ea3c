// The folder of the data file: creation, permissions and free space.
import { closeSync, mkdirSync, openSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { OWNER_ONLY_MODE, restrictToOwner } from '../../../lib/files/file-operations.ts';

/** The data contain secrets: access for the owner only. */
const FOLDER_MODE = 0o700;

const DATA_FILE = 'cloister.db';
/** SQLite creates the other files with the mode of the data file. */
const FILE_SUFFIXES = ['', '-wal', '-shm'];

/** Creates an empty `file` if it is missing. An existing file is not opened: closing it would release SQLite's locks. */
export function ensurePrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', OWNER_ONLY_MODE));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/**
 * Creates folder and data file if missing and returns the path of the file. Removes permissions of group and others; `warn` is
 * called for each file where that fails, for example because another user owns it.
 */
export function prepareDataFolder(path: string, warn: (message: string) => void): string {
  mkdirSync(path, { recursive: true, mode: FOLDER_MODE });
  const file = join(path, DATA_FILE);
  ensurePrivateFile(file);
  for (const companion of FILE_SUFFIXES) {
    if (!restrictToOwner(`${file}${companion}`))
      warn(`${file}${companion} may be read or written by others than its owner`);
  }
  return file;
}

/** Bytes that this user may still write to the disk of `path`; Infinity if unknown. */
export function freeBytes(path: string): number {
  try {
    const { bavail, blocks, bsize } = statfsSync(path);
    // Some file systems, above all network ones, report 0 blocks.
    return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
