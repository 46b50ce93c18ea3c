// Reads a file that somebody else may fill, replace or write to meanwhile: a regular file, within a bound, as it was from first to last.
import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';

/** `special`: a folder, a pipe or a device. `changed`: while it was read. */
export type WholeFileIssue = 'special' | 'too-large' | 'changed';

export class WholeFileError extends Error {
  readonly issue: WholeFileIssue;

  constructor(issue: WholeFileIssue) {
    super(`the file is ${issue}`);
    this.issue = issue;
  }
}

interface WholeFileOptions {
  readonly maxBytes: number;
  /** Whether a link at the end of the path is followed. */
  readonly followsLink: boolean;
}

/** Opens a file, and never waits for the other end of a pipe. Rejects with ELOOP for a link that is not to be followed. */
export function openForReading(path: string, followsLink: boolean): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | constants.O_NONBLOCK | (followsLink ? 0 : constants.O_NOFOLLOW));
}

/** Reads an open file from its start, as far as it goes but no more than so many bytes. */
export async function readUpTo(handle: FileHandle, maxBytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(maxBytes);
  let length = 0;
  for (let read = -1; read !== 0 && length < buffer.length; length += read) {
    read = (await handle.read(buffer, length, buffer.length - length, length)).bytesRead;
  }
  return buffer.subarray(0, length);
}

/** Reads it. Rejects with a WholeFileError, and with errors of the operating system: ELOOP for a link that is not followed. */
export async function readWholeFile(
  path: string,
  { maxBytes, followsLink }: WholeFileOptions,
): Promise<Buffer> {
  const handle = await openForReading(path, followsLink);
  try {
    const before = await handle.stat();
    if (!before.isFile()) throw new WholeFileError('special');
    if (before.size > maxBytes) throw new WholeFileError('too-large');
    // One more than it says: what has grown shows.
    const bytes = await readUpTo(handle, before.size + 1);
    const after = await handle.stat();
    const isSame =
      after.mtimeMs === before.mtimeMs && after.size === before.size && bytes.length === before.size;
    if (!isSame) throw new WholeFileError('changed');
    const named = await stat(path).catch(() => undefined);
    if (named?.ino !== before.ino || named.dev !== before.dev) throw new WholeFileError('changed');
    return bytes;
  } finally {
    await handle.close();
  }
}
