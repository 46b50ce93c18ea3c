// A workspace as files on disk, which people edit while the server watches. Paths are absolute.
import { type FileHandle, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { errorCodeOf } from '../errors/errors.ts';
import { isOutOfResources } from '../errors/start-error.ts';
import { atomicWrite, isFileMissing, listNames, removeFile } from '../lib/files/file-operations.ts';
import { FolderWatcher } from '../lib/files/folder-watcher.ts';
import { openForReading, readUpTo } from '../lib/files/read-whole-file.ts';
import type { WorkspaceContent, WorkspaceFiles, WorkspaceReadOptions } from './workspace-files.ts';

/** Of one `listAll`: whoever names a folder of a whole disk does not wait for all of it. */
const MAX_LISTED = 10_000;

async function listBelow(folder: string, depth: number): Promise<readonly string[]> {
  const paths = (await listNames(folder)).map((name) => join(folder, name));
  if (depth === 0) return paths;
  const below: string[] = [];
  for (const path of paths) below.push(...(await listBelow(path, depth - 1)));
  return below;
}

async function contentOf(handle: FileHandle, maxBytes: number): Promise<WorkspaceContent> {
  const stats = await handle.stat();
  if (!stats.isFile()) return { state: 'unreadable', reason: 'no-file' };
  const bytes = await readUpTo(handle, Math.min(stats.size, maxBytes) + 1);
  return bytes.length > maxBytes ? { state: 'unreadable', reason: 'too-long' } : { state: 'bytes', bytes };
}

async function read(
  file: string,
  { maxBytes, followLinks }: WorkspaceReadOptions,
): Promise<WorkspaceContent> {
  let handle: FileHandle | undefined;
  try {
    handle = await openForReading(file, followLinks);
    return await contentOf(handle, maxBytes);
  } catch (error) {
    if (isFileMissing(error)) return { state: 'absent' };
    const code = String(errorCodeOf(error) ?? 'unknown error');
    // A socket cannot be opened.
    if (code === 'ENXIO') return { state: 'unreadable', reason: 'no-file' };
    if (isOutOfResources(error)) return { state: 'unreadable', reason: 'exhausted', code };
    const isLink = !followLinks && (code === 'ELOOP' || code === 'EMLINK');
    return { state: 'unreadable', reason: isLink ? 'link' : 'failed', code };
  } finally {
    await handle?.close();
  }
}

/** Opens files on disk. Nothing is read or written yet. */
export function createFolderWorkspace(): WorkspaceFiles {
  return {
    list: listBelow,
    async listAll(folder, levels) {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
      return entries
        .slice(0, MAX_LISTED)
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((file) => relative(folder, file).split(sep).length <= levels + 1);
    },
    read,
    write: (file, text) => atomicWrite(file, text),
    remove: removeFile,
    async watch(folder, options) {
      const watch = new FolderWatcher(folder, options);
      const end = () => watch.close();
      try {
        await watch.start();
        return end;
      } catch (error) {
        await end();
        throw error;
      }
    },
  };
}
