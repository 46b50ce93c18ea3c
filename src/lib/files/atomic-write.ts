// Files that are either wholly the old or wholly the new text, whatever happens in between.
import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { AppError } from '../../errors.ts';

/** A full disk or a missing right is no defect of the server. Throws WORKSPACE_UNAVAILABLE instead. */
async function attempt(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    throw new AppError('WORKSPACE_UNAVAILABLE', { cause });
  }
}

/**
 * Writes through a temporary file beside the target, flushed before it is renamed. Missing folders are made. `mode`: that
 * of the file from now on; without it an existing file keeps its own. Throws WORKSPACE_UNAVAILABLE.
 */
export function atomicWrite(file: string, text: string, mode?: number): Promise<void> {
  return attempt(async () => {
    await mkdir(dirname(file), { recursive: true });
    const options = { encoding: 'utf8', fsync: true, ...(mode === undefined ? {} : { mode }) } as const;
    await writeFileAtomic(file, text, options);
  });
}

/** Removes a file; one that is not there is no error. Throws WORKSPACE_UNAVAILABLE. */
export function removeFile(file: string): Promise<void> {
  return attempt(() => rm(file, { force: true }));
}
