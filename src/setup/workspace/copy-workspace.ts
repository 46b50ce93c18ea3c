// A copy of the texts of a workspace as files, in the folders that they have in a database.
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

/** Bytes of one file. */
const MAX_COPIED_BYTES = 134_217_728;

/** Writes the files of some parts that a server would read into a folder on disk. What cannot be read is left out. Rejects with the store's StoreError. */
export async function copyWorkspace(
  { files, folders }: Workspace,
  parts: readonly Part[],
  to: string,
): Promise<void> {
  for (const part of parts) {
    for (const file of await files.list(folders[part], DEPTHS[part])) {
      const content = await files.read(file, { maxBytes: MAX_COPIED_BYTES, followLinks: true });
      if (content.state !== 'bytes') continue;
      const target = join(to, DATABASE_FOLDERS[part], relative(folders[part], file));
      await makeFolder(dirname(target));
      await writeFile(target, content.bytes);
    }
  }
}
