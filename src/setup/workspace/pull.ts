// The composition root of `cloister workspace pull`: what is in the database is written into a folder.
import { readdir } from 'node:fs/promises';
import type { Config } from '../../config/schema.ts';
import { errorCodeOf } from '../../errors/errors.ts';
import { isWithin, realPathOf } from '../../lib/files/containment.ts';
import { compareWorkspaces, type WorkspaceDifference } from '../../transfer/workspace-changes.ts';
import { openPlace, readStoredTexts, type TransferPlace } from './push.ts';
import { openWorkspaceCopy, operatorError, readWorkspaceTexts } from './workspace-texts.ts';

interface PullPlace extends TransferPlace {
  /** False: it must be empty or absent. */
  readonly overwrite: boolean;
}

export interface WorkspacePull {
  readonly difference: WorkspaceDifference;
  /** Writes file after file, each as a whole. Throws WORKSPACE_UNAVAILABLE. */
  apply(): Promise<void>;
  close(): Promise<void>;
}

/** Names in a folder that need not exist yet. */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Throws CONFIGURATION_INVALID where links lead to another place than the folder: what lies there is not the copy's. */
async function assertInside(folder: string, files: readonly string[]): Promise<void> {
  const realFolder = await realPathOf(folder);
  for (const file of files) {
    const realFile = await realPathOf(file);
    if (!isWithin(realFolder, realFile)) throw operatorError(`${file} is elsewhere, by a link: ${realFile}`);
  }
}

/** Reads both sides. Writes nothing. Rejects with CONFIGURATION_INVALID, the store's StoreError, errors of the operating system. */
export async function openWorkspacePull(config: Config, place: PullPlace): Promise<WorkspacePull> {
  const { cwd, folder, overwrite, prune } = place;
  const { store, shared } = await openPlace(config, place);
  try {
    if ((await namesIn(folder)).length > 0 && !overwrite) {
      throw operatorError(
        `${folder} is not empty: name another folder, or let \`--overwrite\` write over its files`,
      );
    }
    const entries = await shared.entries();
    const copy = openWorkspaceCopy(config, { cwd, folder });
    // Also of what has no text: a path that no workspace has is refused.
    for (const { path } of entries) copy.fileOf(path);
    const stored = await readStoredTexts(shared, entries);
    const { texts } = await readWorkspaceTexts(copy);
    const difference = compareWorkspaces(stored, texts);
    const equal = new Set(difference.equal);
    const written = [...stored]
      .filter(([path]) => !equal.has(path))
      .map(([path, text]) => ({ text, file: copy.fileOf(path) }));
    const removed = prune ? difference.surplus.map(copy.fileOf) : [];
    await assertInside(folder, [...written.map(({ file }) => file), ...removed]);
    return {
      difference,
      async apply() {
        for (const { text, file } of written) await copy.files.write(file, text);
        for (const file of removed) await copy.files.remove(file);
      },
      close: () => store.close(),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
