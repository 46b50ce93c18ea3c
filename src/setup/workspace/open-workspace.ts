// The part of the composition roots for the workspace: where specifications, code, policies, routes and recipes are kept.
import { relative, resolve } from 'node:path';
import type { Config } from '../../config/schema.ts';
import {
  createDatabaseWorkspace,
  DATABASE_FOLDERS,
  type DatabaseWorkspace,
} from '../../stores/database-workspace.ts';
import { createFolderWorkspace } from '../../stores/folder-workspace.ts';
import type { DocumentStore } from '../../stores/ports.ts';
import type { WorkspaceFiles, WorkspaceFolders } from '../../stores/workspace-files.ts';

export interface Workspace {
  readonly files: WorkspaceFiles;
  readonly folders: WorkspaceFolders;
  /** How messages call a file. */
  nameOf(file: string): string;
}

/** The workspace of a site whose settings say that it is in the database. */
export interface SharedWorkspace extends Workspace {
  readonly files: DatabaseWorkspace;
}

type WorkspaceSettings = Pick<Config, 'workspace' | 'paths'>;

/** The folders of the parts of a workspace on disk, as absolute paths. */
function foldersOnDisk({ workspace, paths }: WorkspaceSettings, cwd: string): WorkspaceFolders {
  const folder = (path: string) => resolve(cwd, workspace.path, path);
  return {
    collections: folder(paths.collections),
    endpoints: folder(paths.endpoints),
    hooks: folder(paths.hooks),
    routes: folder(paths.routes),
    recipes: folder(paths.recipes),
  };
}

/** Opens the workspace on disk, whatever the settings say of the store. */
export function openFolderWorkspace(config: WorkspaceSettings, cwd: string): Workspace {
  return {
    files: createFolderWorkspace(),
    folders: foldersOnDisk(config, cwd),
    nameOf: (file) => relative(cwd, file),
  };
}

/** Opens the workspace in a database. Nothing is read yet. */
export function openDatabaseWorkspace(
  { limits }: Pick<Config, 'limits'>,
  store: Pick<DocumentStore, 'find' | 'commit'>,
): SharedWorkspace {
  return {
    files: createDatabaseWorkspace({ store, now: Date.now, queryMs: limits.queryMs }),
    folders: DATABASE_FOLDERS,
    nameOf: (file) => file,
  };
}

/** Opens the configured workspace, beside a database that is open. */
export function openWorkspaceOf(
  config: Config,
  { cwd, store }: { readonly cwd: string; readonly store: Pick<DocumentStore, 'find' | 'commit'> },
): Workspace {
  return isInDatabase(config) ? openDatabaseWorkspace(config, store) : openFolderWorkspace(config, cwd);
}

/** True where the settings say that the workspace is in the database. */
export const isInDatabase = ({ workspace }: Pick<Config, 'workspace'>): boolean =>
  workspace.store === 'database';
