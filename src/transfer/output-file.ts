// The file of an export: it has its name only when it is complete.
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isFileMissing } from '../lib/files/missing-file.ts';

export interface OutputFile {
  /** Resolves when the operating system has the text. */
  write(text: string): Promise<void>;
  /** Flushes to the disk and gives the file its name, in the place of one that had it. */
  complete(): Promise<void>;
  /** Leaves nothing behind. */
  discard(): Promise<void>;
}

/** Only its owner can read it: it may hold what the server shows to few. */
const MODE = 0o600;

/** Where the bytes go in the end: behind a symbolic link, and undefined for a pipe or device, which is written in place. */
async function regularTarget(file: string): Promise<string | undefined> {
  try {
    const target = await realpath(file);
    return (await stat(target)).isFile() ? target : undefined;
  } catch (error) {
    if (isFileMissing(error)) return file;
    throw error;
  }
}

/** A new name is on the disk once its folder is. Some systems cannot flush one, and need not. */
async function flushFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {
    // The file itself is safe already.
  }
}

function inPlace(handle: FileHandle): OutputFile {
  return {
    write: (text) => handle.appendFile(text),
    complete: () => handle.close(),
    discard: () => handle.close(),
  };
}

/**
 * Opens the file at `file`, an absolute path. Until it is complete it lies beside its place, with `.partial-` and the
 * number of this process behind its name. Rejects, as do its functions, with errors of the operating system.
 */
export async function openOutputFile(file: string): Promise<OutputFile> {
  const target = await regularTarget(file);
  if (target === undefined) return inPlace(await open(file, 'w'));
  const partial = `${target}.partial-${process.pid}`;
  // Made anew: what lies there already has a mode and an owner of its own, or is a link to somewhere else.
  await rm(partial, { force: true });
  const handle = await open(partial, 'wx', MODE);
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    await handle.close();
  };
  return {
    write: (text) => handle.appendFile(text),
    async complete() {
      await handle.sync();
      await close();
      await rename(partial, target);
      await flushFolder(dirname(target));
    },
    async discard() {
      await close();
      await rm(partial, { force: true });
    },
  };
}
