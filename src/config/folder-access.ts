// Whether the server can write a folder that need not exist yet.
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCodeOf, isFileMissing } from '../lib/files/file-operations.ts';

export interface AccessIssue {
  readonly severity: 'error' | 'warning';
  /** Continues the name of the setting. */
  readonly message: string;
}

/** Finds the folder, or the nearest existing one above it. */
async function nearest(path: string): Promise<{ readonly path: string; readonly isFolder: boolean }> {
  try {
    return { path, isFolder: (await stat(path)).isDirectory() };
  } catch (error) {
    if (!isFileMissing(error) || dirname(path) === path) throw error;
    return nearest(dirname(path));
  }
}

/** Undefined where all is well. */
export async function accessIssue(folder: string): Promise<AccessIssue | undefined> {
  try {
    const found = await nearest(folder);
    if (!found.isFolder) return { severity: 'error', message: `is no folder: ${found.path} is a file` };
    await access(found.path, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const code = String(errorCodeOf(error) ?? 'unknown error');
    return {
      severity: 'warning',
      message: `names a folder that cannot be written (${code}): uploads will fail`,
    };
  }
}
