// The output file of an export, which gets its name only once it is complete.
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { flushFolder, isFileMissing } from '../lib/files/file-operations.ts';

export interface OutputFile {
  /** Resolves when the operating system has the text. */
  write(text: string): Promise<void>;
  /** Flushes to the disk and renames the file to its name, replacing an existing one. */
  complete(): Promise<void>;
  /** Removes the file. */
  discard(): Promise<void>;
}

/** Only its owner can read it: it may hold confidential documents. */
const MODE = 0o600;

/** The target of a symbolic link, or the file itself; undefined for a pipe or device, which is written in place. */
async function regularTarget(file: string): Promise<string | undefined> {
  try {
    const target = await realpath(file);
    return (await stat(target)).isFile() ? target : undefined;
  } catch (error) {
    if (isFileMissing(error)) return file;
    throw error;
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
 * Opens the file at `file`, an absolute path. Until it is complete its name ends in `.partial-` and the process id. Rejects, as its
 * methods do, with errors of the operating system.
 */
export async function openOutputFile(file: string): Promise<OutputFile> {
  const target = await regularTarget(file);
  if (target === undefined) return inPlace(await open(file, 'w'));
  const partial = `${target}.partial-${process.pid}`;
  // An existing file may have another mode or owner, or be a link.
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
