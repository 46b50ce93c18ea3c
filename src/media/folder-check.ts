// What is wrong with the folder of media files, before anything is stored in it.
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, relative, sep } from 'node:path';
import { isFileMissing } from '../lib/files/missing-file.ts';

export interface FolderIssue {
  /** A start with an error would mix files of the server with files that clients send. */
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

interface FolderCheckOptions {
  /** Absolute path of the folder. */
  readonly folder: string;
  /** Folders of the server, by what they hold: absolute paths. */
  readonly others: Readonly<Record<string, string>>;
}

const isIn = (inner: string, outer: string) => {
  const way = relative(outer, inner);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`));
};

/** The folder itself, or the nearest one above that there is. */
async function nearest(path: string): Promise<{ readonly path: string; readonly isFolder: boolean }> {
  try {
    return { path, isFolder: (await stat(path)).isDirectory() };
  } catch (error) {
    if (!isFileMissing(error) || dirname(path) === path) throw error;
    return nearest(dirname(path));
  }
}

async function accessIssues(folder: string): Promise<FolderIssue[]> {
  try {
    const found = await nearest(folder);
    if (!found.isFolder) return [{ severity: 'error', message: `is no folder: ${found.path} is a file` }];
    await access(found.path, constants.R_OK | constants.W_OK | constants.X_OK);
    return [];
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return [
      { severity: 'warning', message: `names a folder that cannot be written (${code}): uploads will fail` },
    ];
  }
}

/** Looks at the folder and changes nothing. Messages continue `media.basePath …`. */
export async function checkMediaFolder({
  folder,
  others,
}: FolderCheckOptions): Promise<readonly FolderIssue[]> {
  const overlaps = Object.entries(others).flatMap(([what, other]): FolderIssue[] => {
    if (isIn(other, folder))
      return [{ severity: 'error', message: `must not be or contain the folder of ${what}` }];
    if (isIn(folder, other)) return [{ severity: 'error', message: `must not lie in the folder of ${what}` }];
    return [];
  });
  return [...overlaps, ...(await accessIssues(folder))];
}
