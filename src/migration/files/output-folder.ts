// The folder that a migration writes: everything is laid out in a part of it first, and appears whole or not at all.
import { lstat, opendir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isWithin, realPathOf } from '../../lib/files/containment.ts';
import { makeFolder, OWNER_ONLY_MODE } from '../../lib/files/file-operations.ts';
import { MigrationError } from '../report/migration-error.ts';

/** Unfinished work, also of a migration that was killed: the next one begins anew. */
const PARTIAL = '.partial';

interface LaidOutFile {
  /** Relative to the folder, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly isSecret?: boolean;
}

export interface OutputFolder {
  /** Where the files are laid out, to be looked at before they appear. */
  readonly partial: string;
  write(file: LaidOutFile): Promise<void>;
  /** Makes all of it appear. */
  finish(): Promise<void>;
  /** Removes all that was made. */
  discard(): Promise<void>;
}

async function entriesOf(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name } of await opendir(folder)) {
    names.push(name);
    if (names.length > 1) break;
  }
  return names;
}

/** True if it is there. Throws a MigrationError where it cannot be written to. */
async function checkFolder(folder: string): Promise<boolean> {
  const stats = await lstat(folder).catch(() => undefined);
  if (stats === undefined) return false;
  if (!stats.isDirectory())
    throw new MigrationError('the out folder is no folder: name one that is empty or absent with --out');
  const names = await entriesOf(folder);
  if (names.some((name) => name !== PARTIAL))
    throw new MigrationError('the out folder is not empty: name one that is empty or absent with --out');
  return true;
}

/**
 * Opens the folder for the files of a migration of the site at `site`, both absolute. Throws a MigrationError where it is not empty,
 * or part of the site.
 */
export async function openOutputFolder(folder: string, site: string): Promise<OutputFolder> {
  if (isWithin(site, await realPathOf(folder)))
    throw new MigrationError(
      'the out folder is in the folder of the site, which stays as it is: name another with --out',
    );
  const wasThere = await checkFolder(folder);
  const partial = join(folder, PARTIAL);
  await rm(partial, { recursive: true, force: true });
  await makeFolder(partial);
  const appeared: string[] = [];
  return {
    partial,
    async write({ path, text, isSecret = false }) {
      const file = join(partial, path);
      await makeFolder(dirname(file));
      await writeFile(file, text, { flag: 'wx', ...(isSecret && { mode: OWNER_ONLY_MODE }) });
    },
    async finish() {
      for (const name of ['.env', 'workspace', 'REPORT.md']) {
        await rename(join(partial, name), join(folder, name));
        appeared.push(name);
      }
      await rmdir(partial);
    },
    async discard() {
      for (const name of [...appeared, PARTIAL])
        await rm(join(folder, name), { recursive: true, force: true });
      // What else came into it meanwhile is somebody's.
      if (!wasThere) await rmdir(folder).catch(() => undefined);
    },
  };
}
