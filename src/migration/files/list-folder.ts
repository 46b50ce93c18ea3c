// Lists the entries of a folder that strangers may have filled: in a bounded number and depth, without following a link.
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { MigrationError } from '../report/migration-error.ts';
import { openContainedFiles } from './source-files.ts';

/** Files and folders that are looked at, all folders together. */
export const MAX_ENTRIES = 10_000;
/** Folders within folders. */
export const MAX_FOLDER_DEPTH = 16;

type EntryKind = 'file' | 'folder' | 'link' | 'other';

export interface SiteEntry {
  /** Relative to the folder of the site, with slashes. */
  readonly path: string;
  readonly kind: EntryKind;
}

interface Dirent {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

function kindOf(entry: Dirent): EntryKind {
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isFile()) return 'file';
  return entry.isDirectory() ? 'folder' : 'other';
}

export interface FolderLister {
  /** The entries of one folder, sorted by path; empty where there is no such folder. */
  list(folder: string): Promise<readonly SiteEntry[]>;
  /** All entries below a folder, sorted by path. Folders whose path `skip` takes are listed, but not entered. */
  listBelow(folder: string, skip: (path: string) => boolean): Promise<readonly SiteEntry[]>;
}

/** Creates a lister for the site at `root`, an absolute path. Its methods throw a MigrationError past the bounds. */
export function createFolderLister(root: string): FolderLister {
  const seen = new Set<string>();
  const files = openContainedFiles(root);

  async function list(folder: string): Promise<readonly SiteEntry[]> {
    const entries: SiteEntry[] = [];
    const path = join(root, folder);
    // Opening a folder would follow links on the way.
    if (folder !== '' && (await files.kindOf(path)) !== 'folder') return [];
    for await (const entry of await opendir(path)) {
      const inside = folder === '' ? entry.name : `${folder}/${entry.name}`;
      seen.add(inside);
      if (seen.size > MAX_ENTRIES) {
        throw new MigrationError(
          `the folder has more than ${MAX_ENTRIES} files: name the folder of one server, without media files in it`,
        );
      }
      entries.push({ path: inside, kind: kindOf(entry) });
    }
    return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async function listBelow(
    folder: string,
    skip: (path: string) => boolean,
    depth = 1,
  ): Promise<readonly SiteEntry[]> {
    if (depth > MAX_FOLDER_DEPTH) {
      throw new MigrationError(`the folder has more than ${MAX_FOLDER_DEPTH} folders within one another`);
    }
    const entries: SiteEntry[] = [];
    for (const entry of await list(folder)) {
      entries.push(entry);
      if (entry.kind === 'folder' && !skip(entry.path))
        entries.push(...(await listBelow(entry.path, skip, depth + 1)));
    }
    return entries;
  }

  return { list, listBelow: (folder, skip) => listBelow(folder, skip) };
}
