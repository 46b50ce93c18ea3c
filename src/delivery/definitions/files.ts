// The folder of the definitions of one kind: one JSON file each, whatever else may lie there.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { isFileMissing, listNames } from '../../lib/files/missing-file.ts';

/** Bytes of one file. */
export const MAX_FILE_BYTES = 1_048_576;

const EXTENSION = '.json';
const BYTE_ORDER_MARK = '\uFEFF';

/** What a file is now. `unreadable`: something that is never read or written, with the reason. */
export type FoundFile =
  | { readonly state: 'missing' }
  | { readonly state: 'unreadable'; readonly message: string }
  | { readonly state: 'text'; readonly text: string };

/** Whether a file of this name is meant to be a definition: hidden files are those of editors. */
export function isDefinitionFile(file: string): boolean {
  return extname(file) === EXTENSION && !basename(file).startsWith('.');
}

/** The name that a file gives to a definition without one. */
export const baseNameOf = (file: string) => basename(file, EXTENSION);

export const fileOf = (folder: string, name: string) => join(folder, name + EXTENSION);

/** The files of definitions in a folder, sorted; none where there is no such folder. */
export async function definitionFilesIn(folder: string): Promise<readonly string[]> {
  return (await listNames(folder)).map((name) => join(folder, name)).filter(isDefinitionFile);
}

async function readAtMost(handle: FileHandle): Promise<FoundFile> {
  const stats = await handle.stat();
  if (!stats.isFile()) return { state: 'unreadable', message: 'is no regular file and is ignored' };
  const buffer = Buffer.alloc(Math.min(stats.size, MAX_FILE_BYTES) + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  if (length > MAX_FILE_BYTES) {
    return { state: 'unreadable', message: `is longer than ${MAX_FILE_BYTES} bytes and is ignored` };
  }
  const text = buffer.toString('utf8', 0, length);
  return { state: 'text', text: text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text };
}

/** Reads a file, but follows no link and opens no pipe: who may write here may not read elsewhere through the server. */
export async function readDefinitionFile(file: string): Promise<FoundFile> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return await readAtMost(handle);
  } catch (error) {
    if (isFileMissing(error)) return { state: 'missing' };
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    if (code === 'ELOOP' || code === 'EMLINK') {
      return { state: 'unreadable', message: 'is a symbolic link and is ignored' };
    }
    return { state: 'unreadable', message: `cannot be read: ${code}` };
  } finally {
    await handle?.close();
  }
}
