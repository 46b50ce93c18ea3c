// The marker of a restore that has not ended: which backup it restores, and whether the folders hold that backup's files only.
import { readFile, writeFile } from 'node:fs/promises';
import { isFileMissing } from '../lib/files/file-operations.ts';
import { FILE_MODE } from './copy.ts';

export interface RestoreMarker {
  /** ISO 8601. */
  readonly since: string;
  /** The id of the backup. Its documents may be in the database. */
  readonly backup: string;
  /** True once the folders have nothing but what was restored; false while they may hold what was there before. */
  readonly isEmptied: boolean;
}

/** Undefined where there is none. One that cannot be read is of no backup. */
export async function readRestoreMarker(file: string): Promise<Partial<RestoreMarker> | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return typeof value === 'object' && value !== null ? value : {};
  } catch (error) {
    if (isFileMissing(error)) return undefined;
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** Writes it in place, flushed: a file beside it would be in the way of the next run. One that was cut is of no backup. */
export function writeRestoreMarker(file: string, marker: Partial<RestoreMarker>): Promise<void> {
  return writeFile(file, `${JSON.stringify(marker)}\n`, { mode: FILE_MODE, flush: true });
}
