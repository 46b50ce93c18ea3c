// The folders that a restore fills: what may be in them before, and where each file of a backup goes.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isWithin } from '../lib/files/containment.ts';
import { isFileMissing } from '../lib/files/file-operations.ts';
import { isRestoreName } from '../lib/files/restore-names.ts';
import { type Area, type BackupFile, backupError, splitPath } from './manifest.ts';

export interface RestoreFolder {
  readonly area: Area;
  /** Absolute. */
  readonly root: string;
  /** The names that a backup may have there; any where it is undefined. */
  readonly names?: readonly string[];
  /** The name of the configuration file, where it may lie in this folder. */
  readonly configFile?: string;
  /** Names that belong to the server and may be there. */
  readonly ignored: readonly string[];
}

export interface PlacedFile {
  readonly file: BackupFile;
  readonly target: RestoreFolder;
  /** Relative to the root of the target. */
  readonly path: string;
}

/** A file of one area must not end up among those of another, nor among the files of a restore. */
function placeIssue({ target, path }: PlacedFile, targets: readonly RestoreFolder[]): string | undefined {
  const [first = ''] = path.split('/');
  if (target.names?.includes(path) === false) return 'a backup has no such file there';
  if (isRestoreName(first) || target.ignored.includes(first)) return 'the name is reserved';
  const place = join(target.root, path);
  const nested = targets.find(
    ({ root }) => root !== target.root && isWithin(target.root, root) && isWithin(root, place),
  );
  return nested === undefined ? undefined : `it would lie in the folder of ${nested.area}`;
}

/** The place of each file; those without a target stay in the backup. Throws CONFIGURATION_INVALID. */
export function placeFiles(
  files: readonly BackupFile[],
  targets: readonly RestoreFolder[],
): readonly PlacedFile[] {
  return files.flatMap((file) => {
    const { area, rest: path } = splitPath(file.path);
    const target = targets.find((one) => one.area === area);
    if (target === undefined) return [];
    const placed = { file, target, path };
    const issue = placeIssue(placed, targets);
    if (issue !== undefined) throw backupError(`${file.path} cannot be restored: ${issue}`);
    return [placed];
  });
}

/**
 * What a restore would have to replace in a folder, relative to it: names, and paths where another folder of the restore lies
 * deeper inside, which is not part of this one.
 */
export async function namesIn(
  target: RestoreFolder,
  targets: readonly RestoreFolder[],
  below = '',
): Promise<readonly string[]> {
  const names = await readdir(join(target.root, below)).catch((error: unknown) => {
    if (isFileMissing(error)) return [];
    throw error;
  });
  const own =
    below === '' ? names.filter((name) => !isRestoreName(name) && !target.ignored.includes(name)) : names;
  const found: string[] = [];
  for (const name of own) {
    const path = join(below, name);
    const place = join(target.root, path);
    if (targets.some(({ root }) => root === place)) continue;
    if (targets.some(({ root }) => isWithin(place, root)))
      found.push(...(await namesIn(target, targets, path)));
    else found.push(path);
  }
  return found;
}

/** Throws CONFIGURATION_INVALID where a folder has anything but what `placed` puts there: the rest of an interrupted restore. */
export async function assertEmpty(
  targets: readonly RestoreFolder[],
  isOurs: (target: RestoreFolder, name: string) => boolean,
): Promise<void> {
  for (const target of targets) {
    const name = (await namesIn(target, targets)).find((some) => !isOurs(target, some));
    if (name !== undefined)
      throw backupError(
        `${target.root} is not empty: it has ${name}; a restore needs empty folders, or --overwrite`,
      );
  }
}
