// Handles missing files and folders.
import { readdir } from 'node:fs/promises';

const ABSENT: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR']);

/** True for the error of a file operation on a path that does not exist. */
export function isFileMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ABSENT.has(error.code);
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
