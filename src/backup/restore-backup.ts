// Restores a verified backup: first every file into a folder beside its place, with its checksum compared again, then one rename
// each. A marker in the data folder keeps servers from starting until the last one.
import { lstat, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCodeOf } from '../errors/errors.ts';
import { flushFolder, makeFolder } from '../lib/files/file-operations.ts';
import { REPLACED_PREFIX, STAGING_NAME } from '../lib/files/restore-names.ts';
import { copyNew, FOLDER_MODE } from './copy.ts';
import { type Manifest, manifestId } from './manifest.ts';
import type { BackupWatch } from './media-files.ts';
import { readRestoreMarker, writeRestoreMarker } from './restore-marker.ts';
import { assertEmpty, namesIn, type PlacedFile, placeFiles, type RestoreFolder } from './restore-targets.ts';
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

interface Removal {
  readonly targets: readonly RestoreFolder[];
  readonly placed: readonly PlacedFile[];
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/**
 * Moves what a folder holds into one folder inside of it, so that nothing is lost. Of a configuration that will be replaced only a
 * copy: while there was none, commands would look for the data, and for the marker, elsewhere.
 */
async function putAside(
  target: RestoreFolder,
  { targets, placed, now, signal }: Removal,
): Promise<string | undefined> {
  const names = await namesIn(target, targets);
  if (names.length === 0) return undefined;
  const time = new Date(now()).toISOString().replace(/\D/g, '');
  const aside = join(target.root, `${REPLACED_PREFIX}${time}`);
  const isReplaced = (name: string) =>
    target.configFile === name && placed.some((one) => one.target.root === target.root && one.path === name);
  for (const name of names) {
    const [from, to] = [join(target.root, name), join(aside, name)];
    await makeFolder(dirname(to), FOLDER_MODE);
    if (isReplaced(name) && (await lstat(from)).isFile()) await copyNew(from, to, { signal });
    else await rename(from, to);
  }
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
    await makeFolder(dirname(place), FOLDER_MODE);
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
  manifest: Manifest,
  options: RestoreOptions,
  watch: BackupWatch,
): Promise<RestoreReport> {
  const { folder, targets, marker, overwrite, importDatabase, now } = options;
  const all = placeFiles(manifest.files, targets);
  const before = await readRestoreMarker(marker);
  const begun = { since: new Date(now()).toISOString(), backup: manifestId(manifest) };
  const resumes = before?.backup === begun.backup && before.isEmptied === true;
  const isOurs = (target: RestoreFolder, name: string) =>
    resumes &&
    all.some(({ target: { root }, path }) => root === target.root && `${path}/`.startsWith(`${name}/`));
  if (!overwrite) await assertEmpty(targets, isOurs);
  for (const { root } of rootsOf(targets)) await makeFolder(root, FOLDER_MODE);
  await writeRestoreMarker(marker, { ...begun, isEmptied: resumes || !overwrite });
  await flushFolder(dirname(marker));
  let bytes: number;
  try {
    await removeStaging(targets);
    bytes = await stage(folder, all, watch);
    watch.signal.throwIfAborted();
  } catch (error) {
    await removeStaging(targets);
    if (before === undefined) await rm(marker, { force: true });
    else await writeRestoreMarker(marker, before);
    throw error;
  }
  const imported = importDatabase === undefined ? [] : all.filter(isDataFile);
  for (const { target, path } of imported) await importDatabase?.(join(stagingOf(target), path));
  const replaced: string[] = [];
  if (overwrite) {
    for (const target of rootsOf(targets)) {
      const removal = { targets, placed: all, now, signal: watch.signal };
      const aside = await putAside(target, removal);
      if (aside !== undefined) replaced.push(aside);
    }
    await writeRestoreMarker(marker, { ...begun, isEmptied: true });
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
