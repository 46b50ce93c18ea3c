// File operations: atomic writes (after a crash a file holds either the old text or the new one), modes of files that hold
// secrets, files and folders that may be missing, folders that are made.

import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError, errorCodeOf } from '../../errors/errors.ts';
import { lazyPackage } from './lazy-package.ts';

const writeFileAtomic = lazyPackage<typeof import('write-file-atomic')>('write-file-atomic');

/** Throws WORKSPACE_UNAVAILABLE on failure: a full disk or a missing permission is not a defect of the server. */
async function attempt(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    throw new AppError('WORKSPACE_UNAVAILABLE', { cause });
  }
}

/**
 * Writes to a temporary file beside the target, flushes and renames it. Missing folders are created. `mode` is the new mode of
 * the file; by default an existing file keeps its own. Throws WORKSPACE_UNAVAILABLE.
 */
export function atomicWrite(file: string, text: string, mode?: number): Promise<void> {
  return attempt(async () => {
    await makeFolder(dirname(file));
    const options = { encoding: 'utf8', fsync: true, ...(mode === undefined ? {} : { mode }) } as const;
    await writeFileAtomic()(file, text, options);
  });
}

/** Flushes the names in a folder, as after a file was renamed in it. Some systems cannot flush folders and need not. */
export async function flushFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {
    // The files themselves are safe already.
  }
}

/** Removes a file if it exists. Throws WORKSPACE_UNAVAILABLE. */
export function removeFile(file: string): Promise<void> {
  return attempt(() => rm(file, { force: true }));
}

const ABSENT: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR']);

/** True for the error of a file operation on a path that does not exist. */
export function isFileMissing(error: unknown): boolean {
  return ABSENT.has(errorCodeOf(error));
}

/** Whether the folder above is to be made first: the system says that something is missing, and there is one above. */
const isParentMissing = (error: unknown, folder: string): boolean =>
  errorCodeOf(error) === 'ENOENT' && dirname(folder) !== folder;

/**
 * Makes a folder, and those above it that are missing; `mode` is that of each. Resolves with the uppermost folder that was made,
 * undefined where all were there. Rejects with the error of the operating system. Node's own way, `mkdir` with `recursive`, never
 * ends where a folder that is there lets none be made in it and the system calls that missing, as Linux does below `/proc`.
 */
export async function makeFolder(folder: string, mode?: number): Promise<string | undefined> {
  const make = () => mkdir(folder, mode);
  const isThere = async () => (await stat(folder).catch(() => undefined))?.isDirectory() === true;
  let first: string | undefined;
  try {
    await make();
    return folder;
  } catch (error) {
    // A folder that is there has another error on a disk that is only read.
    if (await isThere()) return undefined;
    if (!isParentMissing(error, folder)) throw error;
    first = await makeFolder(dirname(folder), mode);
  }
  try {
    await make();
    return first ?? folder;
  } catch (error) {
    // Somebody else may have made it meanwhile.
    if (await isThere()) return first;
    throw error;
  }
}

/** The same, at once. */
export function makeFolderSync(folder: string, mode?: number): void {
  const isThere = () => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    if (isThere()) return;
    if (!isParentMissing(error, folder)) throw error;
    makeFolderSync(dirname(folder), mode);
    try {
      mkdirSync(folder, mode);
    } catch (again) {
      if (!isThere()) throw again;
    }
  }
}

/** The sorted names in a folder; empty if there is no such folder. */
export async function listNames(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (isFileMissing(error)) return [];
    throw error;
  }
}

/** The mode of a file that only its owner may read and write. */
export const OWNER_ONLY_MODE = 0o600;
/** The rights of all users but the owner. */
export const GROUP_AND_OTHERS_MODE = 0o077;

/**
 * Removes the rights of group and others. Returns false when they may keep them: the file belongs to another user, or its
 * mode cannot be read. A missing file is fine. Devices, pipes and folders are not changed, as other programs use them too.
 */
export function restrictToOwner(file: string): boolean {
  try {
    const stats = statSync(file);
    if (!stats.isFile() || (stats.mode & GROUP_AND_OTHERS_MODE) === 0) return true;
    chmodSync(file, stats.mode & ~GROUP_AND_OTHERS_MODE & 0o777);
    return true;
  } catch (error) {
    return isFileMissing(error);
  }
}
