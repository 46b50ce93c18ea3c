// The workspace as a running server needs it: where it is in a database, it can be read once that has been reached, and others
// change it.
import { resolve } from 'node:path';
import type { Config } from '../../config/schema.ts';
import type { Coordination } from '../../deployment/coordination.ts';
import type { DocumentStore } from '../../stores/ports.ts';
import {
  isInDatabase,
  openDatabaseWorkspace,
  openFolderWorkspace,
  type Workspace,
} from './open-workspace.ts';

export interface ServerWorkspace extends Workspace {
  /** False: to be read in a step of the start that needs the database. */
  readonly isReadableAtOnce: boolean;
  /** Lines that the operator should read at the start. */
  readonly notices: readonly string[];
}

interface ServerWorkspaceDeps {
  readonly cwd: string;
  readonly store: Pick<DocumentStore, 'find' | 'commit'>;
  /** The other processes on the same database. */
  readonly deployment: Pick<Coordination, 'onChange'>;
}

/** Opens the configured workspace. Nothing is read yet. */
export function openServerWorkspace(
  config: Config,
  { cwd, store, deployment }: ServerWorkspaceDeps,
): ServerWorkspace {
  if (!isInDatabase(config))
    return { ...openFolderWorkspace(config, cwd), isReadableAtOnce: true, notices: [] };
  const workspace = openDatabaseWorkspace(config, store);
  deployment.onChange('workspace', () => workspace.files.refresh());
  const folder = resolve(cwd, config.workspace.path);
  const notice = `specifications, code, routes and recipes are in the database: those in ${folder} are not read`;
  return { ...workspace, isReadableAtOnce: false, notices: [notice] };
}
