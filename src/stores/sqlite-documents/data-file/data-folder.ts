// The folder of the data file: who may read it, and which process has it.
import { closeSync, mkdirSync, openSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { OWNER_ONLY_MODE, restrictToOwner } from '../../../lib/files/file-mode.ts';

/** The data hold secrets: for their owner only. */
const FOLDER_MODE = 0o700;

const DATA_FILE = 'cloister.db';
/** SQLite gives what it makes beside the data file the mode of that file. */
const FILE_SUFFIXES = ['', '-wal', '-shm'];

/** Makes `file`, empty, when it is missing. One that is there is not opened: closing it would end SQLite's locks on it. */
export function ensurePrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', OWNER_ONLY_MODE));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/**
 * Makes folder and data file when missing, and gives the path of the file. Rights of group and
 * others are removed; `warn` is called for each file where that fails, for instance because it belongs to another user.
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
