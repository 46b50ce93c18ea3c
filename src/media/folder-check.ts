// Checks `media.basePath` at the start: permissions, and whether it overlaps with folders of the server.
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, relative, sep } from 'node:path';
import { isFileMissing } from '../lib/files/file-operations.ts';

export interface MediaFolderIssue {
  /** With an error the server does not start: uploaded files would mix with files of the server. */
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

interface FolderCheckOptions {
  /** Absolute path of the folder. */
  readonly folder: string;
  /** Folders of the server by content: absolute paths. */
  readonly others: Readonly<Record<string, string>>;
}

const isIn = (inner: string, outer: string) => {
  const way = relative(outer, inner);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`));
};

/** Finds the folder, or the nearest existing one above it. */
async function nearest(path: string): Promise<{ readonly path: string; readonly isFolder: boolean }> {
  try {
    return { path, isFolder: (await stat(path)).isDirectory() };
  } catch (error) {
    if (!isFileMissing(error) || dirname(path) === path) throw error;
    return nearest(dirname(path));
  }
}

async function accessIssues(folder: string): Promise<MediaFolderIssue[]> {
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

/** Checks the folder without changing anything. Messages continue the text `media.basePath …`. */
export async function checkMediaFolder({
  folder,
  others,
}: FolderCheckOptions): Promise<readonly MediaFolderIssue[]> {
  const overlaps = Object.entries(others).flatMap(([what, other]): MediaFolderIssue[] => {
    if (isIn(other, folder))
      return [{ severity: 'error', message: `must not be or contain the folder of ${what}` }];
    if (isIn(folder, other)) return [{ severity: 'error', message: `must not lie in the folder of ${what}` }];
    return [];
  });
  return [...overlaps, ...(await accessIssues(folder))];
}
