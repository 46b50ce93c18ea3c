// The folder of a backup until it is complete: empty, or left by a backup that was interrupted, and one process's at a time.
import { chmod, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { flushFolder, isFileMissing } from '../lib/files/file-operations.ts';
import { FILE_MODE, FOLDER_MODE } from './copy.ts';
import { backupError, MANIFEST_FILE } from './manifest.ts';

/** In the folder from the first moment until the manifest is written. */
const MARKER_FILE = 'incomplete.json';

interface Marker {
  readonly pid: number;
  readonly host: string;
}

async function readMarker(file: string): Promise<Marker | undefined> {
  try {
    const { pid, host } = (JSON.parse(await readFile(file, 'utf8')) ?? {}) as Partial<Marker>;
    // Numbers below 1 name groups of processes.
    return typeof pid === 'number' && pid > 0 && typeof host === 'string' ? { pid, host } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the process that wrote the marker is at it still. Of another host nobody here can tell. */
function isAtWork({ pid, host }: Marker): boolean {
  if (host !== hostname() || !Number.isSafeInteger(pid) || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function assertUsable(folder: string, names: readonly string[]): Promise<void> {
  if (names.includes(MANIFEST_FILE))
    throw backupError(`${folder} holds a complete backup: name another folder`);
  if (names.length > 0 && !names.includes(MARKER_FILE))
    throw backupError(`${folder} is not empty, and no interrupted backup: name another folder`);
  const marker = await readMarker(join(folder, MARKER_FILE));
  if (marker !== undefined && isAtWork(marker))
    throw backupError(`process ${marker.pid} is making a backup in ${folder}`);
}

export interface FolderClaim {
  /** Call once the manifest is there. */
  complete(): Promise<void>;
}

/** Makes the folder, or takes over that of an interrupted backup. Rejects with CONFIGURATION_INVALID where it has anything else. */
export async function claimFolder(folder: string): Promise<FolderClaim> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isFileMissing(error)) return [];
    throw error;
  });
  await assertUsable(folder, names);
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  await chmod(folder, FOLDER_MODE);
  const file = join(folder, MARKER_FILE);
  await rm(file, { force: true });
  // Of two processes that come at the same time one fails here.
  const handle = await open(file, 'wx', FILE_MODE);
  await handle.writeFile(`${JSON.stringify({ pid: process.pid, host: hostname() })}\n`);
  await handle.sync();
  await handle.close();
  return {
    async complete() {
      await rm(file, { force: true });
      await flushFolder(folder);
    },
  };
}
