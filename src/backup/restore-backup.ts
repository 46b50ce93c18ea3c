// Restores a verified backup: first every file into a folder beside its place, with its checksum compared again, then one rename
// each. A marker in the data folder keeps servers from starting until the last one.
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCodeOf, flushFolder, isFileMissing } from '../lib/files/file-operations.ts';
import { copyNew, FILE_MODE, FOLDER_MODE } from './copy.ts';
import type { Manifest } from './manifest.ts';
import type { BackupWatch } from './media-files.ts';
import {
  assertEmpty,
  namesIn,
  type PlacedFile,
  placeFiles,
  REPLACED_PREFIX,
  type RestoreFolder,
  STAGING_NAME,
} from './restore-targets.ts';
import { assertContent } from './verify-backup.ts';

export interface RestoreOptions {
  /** Absolute path of the backup. */
  readonly folder: string;
  readonly targets: readonly RestoreFolder[];
  /** Absolute path of the marker. Its folder is one of the targets. */
  readonly marker: string;
  /** Puts aside what the folders hold. Otherwise they must be empty. */
  readonly overwrite: boolean;
  /** Brings the exported documents in this file into the database, before any file is in its place. */
  readonly importDatabase?: (file: string) => Promise<void>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface RestoreReport {
  readonly files: number;
  readonly bytes: number;
  /** Folders in which what was there before now lies. */
  readonly replaced: readonly string[];
}

/** Whether an interrupted restore left its marker. */
async function isInterrupted(marker: string): Promise<boolean> {
  return readFile(marker).then(
    () => true,
    (error: unknown) => {
      if (isFileMissing(error)) return false;
      throw error;
    },
  );
}

const stagingOf = ({ root }: RestoreFolder) => join(root, STAGING_NAME);

/** Folders that several areas share are emptied once. */
const rootsOf = (targets: readonly RestoreFolder[]) => [
  ...new Map(targets.map((one) => [one.root, one])).values(),
];

async function removeStaging(targets: readonly RestoreFolder[]): Promise<void> {
  for (const target of rootsOf(targets)) await rm(stagingOf(target), { recursive: true, force: true });
}

async function stage(folder: string, placed: readonly PlacedFile[], watch: BackupWatch): Promise<number> {
  let [files, bytes] = [0, 0];
  for (const { file, target, path } of placed) {
    const copy = join(stagingOf(target), path);
    assertContent(file, await copyNew(join(folder, file.path), copy, watch));
    files += 1;
    bytes += file.size;
    watch.onProgress(files, bytes);
  }
  return bytes;
}

/** Moves what a folder holds into one folder inside of it, so that nothing is lost. */
async function putAside(
  target: RestoreFolder,
  targets: readonly RestoreFolder[],
  now: number,
): Promise<string | undefined> {
  const names = await namesIn(target, targets);
  if (names.length === 0) return undefined;
  const aside = join(target.root, `${REPLACED_PREFIX}${new Date(now).toISOString().replace(/\D/g, '')}`);
  await mkdir(aside, { recursive: true, mode: FOLDER_MODE });
  for (const name of names) await rename(join(target.root, name), join(aside, name));
  return aside;
}

/** The data file comes last: a server that ignores the marker then finds none. */
const isDataFile = ({ target }: PlacedFile) => target.area === 'database';

/** A folder inside may be another disk, to which nothing can be renamed. */
async function move(from: string, to: string, signal: AbortSignal): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (errorCodeOf(error) !== 'EXDEV') throw error;
    await copyNew(from, to, { signal });
  }
}

async function moveIntoPlace(placed: readonly PlacedFile[], signal: AbortSignal): Promise<void> {
  const folders = new Set<string>();
  for (const { target, path } of placed.toSorted((a, b) => Number(isDataFile(a)) - Number(isDataFile(b)))) {
    const place = join(target.root, path);
    await mkdir(dirname(place), { recursive: true, mode: FOLDER_MODE });
    await move(join(stagingOf(target), path), place, signal);
    folders.add(dirname(place));
  }
  for (const folder of folders) await flushFolder(folder);
}

/**
 * Restores a backup that `verifyBackup` found whole. After an error before the first change in the folders nothing is left of it;
 * after a later one, or a kill, the marker remains, and the same restore completes it. Rejects with CONFIGURATION_INVALID, errors of
 * the system, and the reason of the signal.
 */
export async function restoreBackup(
  { files }: Manifest,
  options: RestoreOptions,
  watch: BackupWatch,
): Promise<RestoreReport> {
  const { folder, targets, marker, overwrite, importDatabase, now } = options;
  const all = placeFiles(files, targets);
  const resumes = await isInterrupted(marker);
  const isOurs = (target: RestoreFolder, name: string) =>
    resumes && all.some((one) => one.target.root === target.root && one.path.split('/')[0] === name);
  if (!overwrite) await assertEmpty(targets, isOurs);
  for (const { root } of rootsOf(targets)) await mkdir(root, { recursive: true, mode: FOLDER_MODE });
  await writeFile(marker, `${JSON.stringify({ since: new Date(now()).toISOString() })}\n`, {
    mode: FILE_MODE,
  });
  await flushFolder(dirname(marker));
  let bytes: number;
  try {
    await removeStaging(targets);
    bytes = await stage(folder, all, watch);
    watch.signal.throwIfAborted();
  } catch (error) {
    await removeStaging(targets);
    if (!resumes) await rm(marker, { force: true });
    throw error;
  }
  const imported = importDatabase === undefined ? [] : all.filter(isDataFile);
  for (const { target, path } of imported) await importDatabase?.(join(stagingOf(target), path));
  const replaced: string[] = [];
  if (overwrite) {
    for (const target of rootsOf(targets)) {
      const aside = await putAside(target, targets, now());
      if (aside !== undefined) replaced.push(aside);
    }
  }
  await moveIntoPlace(
    all.filter((placed) => !imported.includes(placed)),
    watch.signal,
  );
  await removeStaging(targets);
  await rm(marker, { force: true });
  await flushFolder(dirname(marker));
  return { files: all.length, bytes, replaced };
}
