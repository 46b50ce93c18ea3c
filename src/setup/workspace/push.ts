// The composition root of `cloister workspace push`: a folder is put into the database, as a whole or not at all.
import { stat } from 'node:fs/promises';
import { collectionPath } from '../../collections/specifications/collection-address.ts';
import { specificationAddress } from '../../collections/specifications/specification-files.ts';
import type { Config } from '../../config/schema.ts';
import {
  announceChange,
  awaitAnnounced,
  awaitInForce,
  type Reached,
} from '../../deployment/command-change.ts';
import { StoreError } from '../../errors/errors.ts';
import { parseModulePath } from '../../modules/lifecycle/module-files.ts';
import { moduleKey } from '../../modules/model/module-types.ts';
import { DATABASE_FOLDERS, type DatabaseWorkspace } from '../../stores/database-workspace.ts';
import { createMemoryWorkspace } from '../../stores/memory-workspace.ts';
import type { DocumentStore } from '../../stores/ports.ts';
import { compareWorkspaces, type WorkspaceDifference } from '../../transfer/workspace-changes.ts';
import { changeDeps } from './change-deps.ts';
import { isInDatabase, openDatabaseWorkspace, type Workspace } from './open-workspace.ts';
import { openWorkspaceCopy, operatorError, readWorkspaceTexts } from './workspace-texts.ts';

export interface TransferPlace {
  readonly cwd: string;
  /** Absolute path of the folder. */
  readonly folder: string;
  /** Removes what only the written side has. */
  readonly prune: boolean;
  /** Opens the configured database. */
  readonly openStore: (config: Config, cwd: string) => Promise<DocumentStore>;
}

export interface WorkspacePush {
  /** What the database would hold, to be checked before: messages name files of the folder. */
  readonly candidate: Workspace;
  /** Files that have no text. With one of them nothing is to be written. */
  readonly unreadable: readonly string[];
  readonly difference: WorkspaceDifference;
  /**
   * Writes all of it or nothing, and resolves when the running servers have it in force. Throws CONFIGURATION_INVALID where
   * somebody else has changed the workspace meanwhile.
   */
  apply(): Promise<Reached>;
  close(): Promise<void>;
}

/** Opens the database that the settings name for a workspace. Throws CONFIGURATION_INVALID where they say `files`. */
export async function openPlace(
  config: Config,
  { cwd, openStore }: Pick<TransferPlace, 'cwd' | 'openStore'>,
): Promise<{ readonly store: DocumentStore; readonly shared: DatabaseWorkspace }> {
  if (!isInDatabase(config)) {
    throw operatorError(
      'workspace.store is files: set it to database, in the configuration of this command and of all servers, or copy the folder',
    );
  }
  const store = await openStore(config, cwd);
  return { store, shared: openDatabaseWorkspace(config, store).files };
}

/** Reads these texts of the database. Rejects with the store's StoreError. */
export async function readStoredTexts(
  shared: DatabaseWorkspace,
  entries: Awaited<ReturnType<DatabaseWorkspace['entries']>>,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const { path } of entries) {
    const content = await shared.read(path, { maxBytes: Number.MAX_SAFE_INTEGER, followLinks: true });
    if (content.state !== 'bytes') continue;
    texts.set(path, new TextDecoder('utf-8', { ignoreBOM: true }).decode(content.bytes));
  }
  return texts;
}

/** The change that a server announces once it has an edit of this file in force; undefined where it announces none. */
function announcedFor(path: string): string | undefined {
  const specified = specificationAddress(DATABASE_FOLDERS.collections, path);
  if (specified !== undefined) return `specification ${collectionPath(specified)}`;
  const module = parseModulePath(DATABASE_FOLDERS, path);
  return module && `module ${moduleKey(module.address)}`;
}

/** Reads both sides. Writes nothing. Rejects with CONFIGURATION_INVALID, the store's StoreError, errors of the operating system. */
export async function openWorkspacePush(config: Config, place: TransferPlace): Promise<WorkspacePush> {
  const { cwd, folder, prune } = place;
  // A wrong name is no empty workspace: with `prune`, everything would be removed.
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true) throw operatorError(`${folder}: there is no such folder`);
  const copy = openWorkspaceCopy(config, { cwd, folder });
  const { texts, unreadable } = await readWorkspaceTexts(copy);
  const { store, shared } = await openPlace(config, place);
  try {
    const entries = await shared.entries();
    const stored = await readStoredTexts(shared, entries);
    const difference = compareWorkspaces(texts, stored);
    const kept = prune ? [] : [...stored].filter(([path]) => !texts.has(path));
    const changes = [
      ...[...difference.added, ...difference.changed].map((path) => ({ path, text: texts.get(path) })),
      ...(prune ? difference.surplus : []).map((path) => ({ path, text: undefined })),
    ];
    return {
      candidate: {
        files: createMemoryWorkspace(new Map([...texts, ...kept])),
        folders: DATABASE_FOLDERS,
        nameOf: (path) => (texts.has(path) ? copy.nameOf(copy.fileOf(path)) : path),
      },
      unreadable,
      difference,
      async apply() {
        const deps = changeDeps(config, store);
        try {
          await shared.replace(changes, entries);
        } catch (error) {
          if (!(error instanceof StoreError) || error.reason !== 'conflict') throw error;
          throw operatorError(
            'somebody has changed the workspace in the database meanwhile: nothing was written, push again',
          );
        }
        const seq = await announceChange(deps, { kind: 'workspace', target: '*' });
        const told = await awaitInForce(deps, seq);
        if (told.inForce.length === 0) return told;
        const awaited = changes.flatMap(({ path }) => announcedFor(path) ?? []);
        return awaitInForce(deps, await awaitAnnounced(deps, seq, awaited));
      },
      close: () => store.close(),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
