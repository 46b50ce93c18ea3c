// Copies of single files with their checksums, walks through folders, and flushes: what backups and restores both do.
import { createHash, randomBytes } from 'node:crypto';
import { lstat, open, opendir, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isFileMissing, makeFolder } from '../lib/files/file-operations.ts';
import { backupError, openRegular } from './manifest.ts';

/** A backup holds secrets: it and what is restored belong to their owner. */
export const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;
/** Begin of the names of files that are not whole yet. */
export const PARTIAL_PREFIX = '.partial-';
/** Bytes. */
const MAX_CHUNK = 256 * 1024;

export interface Content {
  readonly size: number;
  readonly sha256: string;
}

/** Passes an error on. What the system says of reads, writes and flushes does not name the file. */
function named(error: unknown, file: string, syscalls: readonly string[]): unknown {
  const { syscall, path, message } = error as Readonly<Record<'syscall' | 'path' | 'message', unknown>>;
  const isNameless = error instanceof Error && path === undefined && syscalls.some((one) => one === syscall);
  return isNameless ? backupError(`${file}: ${message}`, error) : error;
}

interface CopyWatch {
  readonly signal: AbortSignal;
  /** Bytes of one piece. */
  readonly onBytes?: (bytes: number) => void;
}

/** Size and checksum of what a source yields, passed on to `take`. */
async function drain(
  source: AsyncIterable<Uint8Array>,
  take: (chunk: Uint8Array) => Promise<unknown>,
  { signal, onBytes }: CopyWatch,
): Promise<Content> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of source) {
    signal.throwIfAborted();
    hash.update(chunk);
    size += chunk.length;
    await take(chunk);
    onBytes?.(chunk.length);
  }
  return { size, sha256: hash.digest('hex') };
}

/** Writes a new file, flushed, that has its name only when it is whole. Missing folders are made. */
export async function writeNew(
  file: string,
  source: AsyncIterable<Uint8Array>,
  watch: CopyWatch,
): Promise<Content> {
  await makeFolder(dirname(file), FOLDER_MODE);
  const partial = join(dirname(file), `${PARTIAL_PREFIX}${randomBytes(8).toString('hex')}`);
  const handle = await open(partial, 'wx', FILE_MODE);
  try {
    const content = await drain(source, (chunk) => handle.writeFile(chunk), watch);
    await handle.sync();
    await handle.close();
    await rename(partial, file);
    return content;
  } catch (error) {
    await handle.close();
    await rm(partial, { force: true });
    throw named(error, file, ['write', 'fsync', 'close']);
  }
}

/** Calls `use` with the bytes of a regular file. */
async function withBytes<T>(file: string, use: (bytes: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T> {
  const { handle } = await openRegular(file);
  try {
    return await use(handle.createReadStream({ autoClose: false, highWaterMark: MAX_CHUNK }));
  } catch (error) {
    throw named(error, file, ['read']);
  } finally {
    await handle.close();
  }
}

/** Copies a regular file, and no link. */
export function copyNew(from: string, to: string, watch: CopyWatch): Promise<Content> {
  return withBytes(from, (bytes) => writeNew(to, bytes, watch));
}

/** Size and checksum of a regular file. */
export function contentOf(file: string, watch: CopyWatch): Promise<Content> {
  return withBytes(file, (bytes) => drain(bytes, async () => undefined, watch));
}

/** A file below a folder. */
export interface FoundFile {
  /** Relative to it, separated by `/`. */
  readonly path: string;
  /** Tells one state of the file from another. */
  readonly state: string;
}

interface WalkOptions {
  /** Whether this file or folder, an absolute path, is left out. */
  readonly leaveOut: (file: string) => boolean;
}

/**
 * Every file below `root` as a server reads it: links are followed, except in circles. Nothing where there is no such folder.
 * Devices, pipes and sockets are left out.
 */
export async function* walkFollowing(
  root: string,
  { leaveOut }: WalkOptions,
  inside: readonly string[] = [],
): AsyncGenerator<FoundFile> {
  const real = await realpath(root).catch(() => undefined);
  if (real === undefined || inside.includes(real)) return;
  for await (const { name } of await opendir(real)) {
    const file = join(root, name);
    const found = leaveOut(file) ? undefined : await stat(file).catch(() => undefined);
    if (found?.isFile() === true) yield { path: name, state: `${found.ino} ${found.size} ${found.mtimeMs}` };
    if (found?.isDirectory() !== true) continue;
    for await (const below of walkFollowing(file, { leaveOut }, [...inside, real]))
      yield { ...below, path: `${name}/${below.path}` };
  }
}

/**
 * Every file below `root`, relative to it, as it lies there. Throws CONFIGURATION_INVALID at the first thing that is neither file
 * nor folder.
 */
export async function* walkStrictly(root: string, below = ''): AsyncGenerator<string> {
  for await (const { name } of await opendir(join(root, below))) {
    const path = below === '' ? name : `${below}/${name}`;
    const found = await lstat(join(root, path));
    if (found.isDirectory()) yield* walkStrictly(root, path);
    else if (found.isFile()) yield path;
    else throw backupError(`${path} is neither a file nor a folder`);
  }
}

/** Whether anything is under a path, also a link that leads nowhere. */
export async function isPresent(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isFileMissing(error)) return false;
    throw error;
  }
}
