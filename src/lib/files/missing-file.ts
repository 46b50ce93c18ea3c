// How the file system says that nothing is there.
import { readdir } from 'node:fs/promises';

const ABSENT: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR']);

/** True for the error of a file operation on a path that leads to nothing. */
export function isFileMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ABSENT.has(error.code);
}

/** Names in a folder, sorted; none where there is no such folder. */
export async function listNames(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (isFileMissing(error)) return [];
    throw error;
  }
}
