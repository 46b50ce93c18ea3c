// Files that are either wholly the old or wholly the new text, whatever happens in between.
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import writeFileAtomic from 'write-file-atomic';

/** Writes through a temporary file beside the target, flushed before it is renamed. Missing folders are made. */
export async function atomicWrite(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFileAtomic(file, text, { encoding: 'utf8', fsync: true });
}
