// The folder of the data file: creation, permissions, free space, and the lock that keeps a second server out. That is a lock of the
// operating system, taken through SQLite on an empty file, so it ends with the process, however that ends.
import { closeSync, openSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorCodeOf, StoreError } from '../../../errors/errors.ts';
import { makeFolderSync, OWNER_ONLY_MODE, restrictToOwner } from '../../../lib/files/file-operations.ts';
import { isBusy } from './connection.ts';

/** The data contain secrets: access for the owner only. */
const FOLDER_MODE = 0o700;

export const DATA_FILE = 'cloister.db';
/** SQLite creates the other files with the mode of the data file. */
const FILE_SUFFIXES = ['', '-wal', '-shm'];

/** Creates an empty `file` if it is missing. An existing file is not opened: closing it would release SQLite's locks. */
export function ensurePrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', OWNER_ONLY_MODE));
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error;
  }
}

/**
 * Creates folder and data file if missing and returns the path of the file. Removes permissions of group and others; `warn` is
 * called for each file where that fails, for example because another user owns it.
 */
export function prepareDataFolder(path: string, warn: (message: string) => void): string {
  makeFolderSync(path, FOLDER_MODE);
  const file = join(path, DATA_FILE);
  ensurePrivateFile(file);
  for (const companion of FILE_SUFFIXES) {
    if (!restrictToOwner(`${file}${companion}`))
      warn(`${file}${companion} may be read or written by others than its owner`);
  }
  return file;
}

/** Bytes of the data file and of what SQLite keeps beside it. A file that is not there has none. */
export async function dataFileBytes(file: string): Promise<number> {
  const sizes = await Promise.all(
    FILE_SUFFIXES.map((suffix) =>
      stat(`${file}${suffix}`).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
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

/** Held while the process lives and this object is referenced. */
export interface FolderLock {
  release(): void;
}

interface LockOwner {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
}

const LOCK_FILE = 'cloister.lock';
/** Who holds the lock, for operators. Not in the locked file, which no other process can read. */
const OWNER_FILE = 'cloister.lock.json';

/** Reads the file of the owner; undefined if it is missing or not valid. */
function readOwner(path: string): LockOwner | undefined {
  try {
    const { pid, host, since } = JSON.parse(readFileSync(join(path, OWNER_FILE), 'utf8')) as LockOwner;
    return typeof pid === 'number' && typeof host === 'string' && typeof since === 'string'
      ? { pid, host, since }
      : undefined;
  } catch {
    return undefined;
  }
}

function writeOwner(path: string, owner: LockOwner): void {
  const file = join(path, OWNER_FILE);
  try {
    // A file left by a killed process is removed first, so that the mode is ours.
    rmSync(file, { force: true });
    writeFileSync(file, `${JSON.stringify(owner)}\n`, { mode: OWNER_ONLY_MODE, flag: 'wx' });
  } catch {
    // The lock works without this file, and a full disk must not keep a server from reading.
  }
}

function folderInUseError(path: string): StoreError {
  const owner = readOwner(path);
  const who = owner === undefined ? '' : `: process ${owner.pid} on ${owner.host}, since ${owner.since}`;
  return new StoreError('in-use', {
    cause: new Error(`another server has the data folder ${resolve(path)}${who}`),
  });
}

/** Locks a file that holds nothing else, and makes it if need be. Throws an error of SQLite where another process has the lock. */
export function lockFile(file: string): DatabaseSync {
  ensurePrivateFile(file);
  const db = new DatabaseSync(file, { timeout: 0 });
  try {
    db.exec('begin exclusive');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Locks the folder `path` for this process. Throws an `in-use` StoreError that names the owner. */
export function lockFolder(path: string, now: () => number): FolderLock {
  let db: DatabaseSync;
  try {
    db = lockFile(join(path, LOCK_FILE));
  } catch (error) {
    throw isBusy(error) ? folderInUseError(path) : error;
  }
  const owner: LockOwner = { pid: process.pid, host: hostname(), since: new Date(now()).toISOString() };
  writeOwner(path, owner);
  return {
    release() {
      if (!db.isOpen) return;
      rmSync(join(path, OWNER_FILE), { force: true });
      db.close();
    },
  };
}
