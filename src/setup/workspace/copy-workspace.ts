// Copies of the texts of a workspace, as files under the names that the settings give unless they say otherwise.
import { writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { makeFolder } from '../../lib/files/file-operations.ts';
import { DATABASE_FOLDERS } from '../../stores/database-workspace.ts';
import type { WorkspaceFolders } from '../../stores/workspace-files.ts';
import type { Workspace } from './open-workspace.ts';

type Part = keyof WorkspaceFolders;

/** How many folders below its own the files of each part are. */
const DEPTHS: Readonly<Record<Part, number>> = {
  collections: 2,
  endpoints: 1,
  hooks: 0,
  routes: 0,
  recipes: 0,
};

/** The folders of a copy, relative to it. */
export const COPIED_FOLDERS = DATABASE_FOLDERS;

/** The parts of a workspace. */
const WORKSPACE_PARTS = Object.keys(DEPTHS) as readonly Part[];

/** A file of a workspace, and its path in a copy. */
interface CopiedFile {
  readonly file: string;
  readonly path: string;
}

/** All files of some parts that a server would read, sorted by path. Rejects with the store's StoreError. */
async function listWorkspace(
  { files, folders }: Workspace,
  parts: readonly Part[] = WORKSPACE_PARTS,
): Promise<readonly CopiedFile[]> {
  const placed: CopiedFile[] = [];
  for (const part of parts) {
    for (const file of await files.list(folders[part], DEPTHS[part]))
      placed.push({ file, path: join(COPIED_FOLDERS[part], relative(folders[part], file)) });
  }
  return placed.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Writes the files of some parts into a folder on disk. What cannot be read is left out. */
export async function copyWorkspace(workspace: Workspace, parts: readonly Part[], to: string): Promise<void> {
  for (const { file, path } of await listWorkspace(workspace, parts)) {
    const content = await workspace.files.read(file, { maxBytes: MAX_COPIED_BYTES, followLinks: true });
    if (content.state !== 'bytes') continue;
    const target = join(to, path);
    await makeFolder(dirname(target));
    await writeFile(target, content.bytes);
  }
}

const MAX_COPIED_BYTES = 134_217_728;
