// The composition root of `cloister workspace pull`: what is in the database is written into a folder.
import type { Config } from '../../config/schema.ts';
import { AppError } from '../../errors/errors.ts';
import { listNames } from '../../lib/files/file-operations.ts';
import { compareWorkspaces, type WorkspaceDifference } from '../../transfer/workspace-changes.ts';
import { openPlace, readStoredTexts, type TransferPlace } from './push.ts';
import { openWorkspaceCopy, readWorkspaceTexts } from './workspace-texts.ts';

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

const refused = (message: string) => new AppError('CONFIGURATION_INVALID', { message });

/** Reads both sides. Writes nothing. Rejects with the store's StoreError, CONFIGURATION_INVALID. */
export async function openWorkspacePull(config: Config, place: PullPlace): Promise<WorkspacePull> {
  const { cwd, folder, overwrite, prune } = place;
  const { store, shared } = await openPlace(config, place);
  try {
    const names = await listNames(folder).catch((cause: unknown) => {
      throw new AppError('CONFIGURATION_INVALID', { message: `${folder} cannot be read`, cause });
    });
    if (names.length > 0 && !overwrite) {
      throw refused(
        `${folder} is not empty: name another folder, or let \`--overwrite\` write over its files`,
      );
    }
    const entries = await shared.entries();
    const stored = await readStoredTexts(shared, entries);
    const copy = openWorkspaceCopy(config, { cwd, folder });
    const strange = entries.find(({ path }) => copy.fileOf(path) === undefined);
    if (strange !== undefined)
      throw refused(`the database has a path that no workspace has: ${JSON.stringify(strange.path)}`);
    const { texts } = await readWorkspaceTexts(copy);
    const difference = compareWorkspaces(stored, texts);
    return {
      difference,
      async apply() {
        for (const path of [...difference.added, ...difference.changed])
          await copy.files.write(copy.fileOf(path) ?? '', stored.get(path) ?? '');
        for (const path of prune ? difference.surplus : []) await copy.files.remove(copy.fileOf(path) ?? '');
      },
      close: () => store.close(),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
