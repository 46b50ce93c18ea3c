// The folder of a backup until it is complete: empty, or left by a backup that was interrupted, and one process's at a time.
import { chmod, mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { errorCodeOf } from '../errors/errors.ts';
import { flushFolder, isFileMissing, makeFolder } from '../lib/files/file-operations.ts';
import { FILE_MODE, FOLDER_MODE, PARTIAL_PREFIX } from './copy.ts';
import { AREAS, backupError, MANIFEST_DRAFT, MANIFEST_FILE } from './manifest.ts';

/** In the folder from the first moment until the manifest is written; after a kill in between also beside it. */
export const MARKER_FILE = 'incomplete.json';

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

/** What a run leaves at the top of the folder and the next one makes anew. */
const isRemnant = (name: string) =>
  name === MANIFEST_FILE || name === MANIFEST_DRAFT || name.startsWith(PARTIAL_PREFIX);

async function assertUsable(folder: string, names: readonly string[]): Promise<void> {
  const isMarked = names.includes(MARKER_FILE);
  if (names.includes(MANIFEST_FILE) && !isMarked)
    throw backupError(`${folder} holds a complete backup: name another folder`);
  if (names.length > 0 && !isMarked)
    throw backupError(`${folder} is not empty, and no interrupted backup: name another folder`);
  // It would be in the way of a restore, which takes nothing but what the manifest names.
  const isPart = (name: string) =>
    name === MARKER_FILE || isRemnant(name) || AREAS.some((one) => one === name);
  const other = names.find((name) => !isPart(name));
  if (other !== undefined)
    throw backupError(`${folder} has ${other}, which is no part of a backup: remove it`);
  const marker = await readMarker(join(folder, MARKER_FILE));
  if (marker !== undefined && isAtWork(marker))
    throw backupError(
      `process ${marker.pid} is making a backup in ${folder}; if it is another program, remove ${MARKER_FILE}`,
    );
}

/** Makes the folder where it is missing. The system says why it cannot only where one folder is made at a time. */
async function ensureFolder(folder: string): Promise<void> {
  await makeFolder(dirname(folder), FOLDER_MODE);
  try {
    await mkdir(folder, { mode: FOLDER_MODE });
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST' || !(await stat(folder)).isDirectory()) throw error;
  }
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
  await ensureFolder(folder);
  await chmod(folder, FOLDER_MODE);
  for (const name of names.filter(isRemnant)) await rm(join(folder, name), { force: true });
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
