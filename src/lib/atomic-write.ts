// Files that are either wholly the old or wholly the new text, whatever happens in between.
import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { AppError } from '../errors.ts';

/** A full disk or a missing right is no defect of the server. Throws WORKSPACE_UNAVAILABLE instead. */
async function attempt(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    throw new AppError('WORKSPACE_UNAVAILABLE', { cause });
  }
}

/**
 * Writes through a temporary file beside the target, flushed before it is renamed. Missing folders are made.
 * Throws WORKSPACE_UNAVAILABLE.
 */
export function atomicWrite(file: string, text: string): Promise<void> {
  return attempt(async () => {
    await mkdir(dirname(file), { recursive: true });
    await writeFileAtomic(file, text, { encoding: 'utf8', fsync: true });
  });
}

/** Removes a file; one that is not there is no error. Throws WORKSPACE_UNAVAILABLE. */
export function removeFile(file: string): Promise<void> {
  return attempt(() => rm(file, { force: true }));
}
