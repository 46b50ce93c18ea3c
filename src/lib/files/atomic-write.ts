// Writes files atomically: after a crash a file holds either the old text or the new one.
import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { AppError } from '../../errors/errors.ts';

/** Throws WORKSPACE_UNAVAILABLE on failure: a full disk or a missing permission is not a defect of the server. */
async function attempt(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    throw new AppError('WORKSPACE_UNAVAILABLE', { cause });
  }
}

/**
 * Writes to a temporary file beside the target, flushes and renames it. Missing folders are created. `mode` is the new mode of
 * the file; by default an existing file keeps its own. Throws WORKSPACE_UNAVAILABLE.
 */
export function atomicWrite(file: string, text: string, mode?: number): Promise<void> {
  return attempt(async () => {
    await mkdir(dirname(file), { recursive: true });
    const options = { encoding: 'utf8', fsync: true, ...(mode === undefined ? {} : { mode }) } as const;
    await writeFileAtomic(file, text, options);
  });
}

/** Removes a file if it exists. Throws WORKSPACE_UNAVAILABLE. */
export function removeFile(file: string): Promise<void> {
  return attempt(() => rm(file, { force: true }));
}
