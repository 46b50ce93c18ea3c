// The workspace as a command reads it, whether or not a server is running.
import type { Config } from '../../config/schema.ts';
import { announceChange } from '../../deployment/command-change.ts';
import type { DocumentStore } from '../../stores/ports.ts';
import { changeDeps } from './change-deps.ts';
import {
  isInDatabase,
  openDatabaseWorkspace,
  openFolderWorkspace,
  type Workspace,
} from './open-workspace.ts';

export interface CommandWorkspace extends Workspace {
  close(): Promise<void>;
}

interface CommandWorkspaceDeps {
  readonly cwd: string;
  /** Opens the configured database, where the workspace is in it. */
  readonly openStore: (config: Config, cwd: string) => Promise<DocumentStore>;
}

/** Opens the configured workspace. What is written to a database is told to the servers when it is closed. */
export async function openCommandWorkspace(
  config: Config,
  { cwd, openStore }: CommandWorkspaceDeps,
): Promise<CommandWorkspace> {
  if (!isInDatabase(config)) return { ...openFolderWorkspace(config, cwd), close: async () => {} };
  const store = await openStore(config, cwd);
  const workspace = openDatabaseWorkspace(config, store);
  let isChanged = false;
  return {
    ...workspace,
    files: {
      ...workspace.files,
      async write(file, text) {
        await workspace.files.write(file, text);
        isChanged = true;
      },
    },
    async close() {
      try {
        if (isChanged) await announceChange(changeDeps(config, store), { kind: 'workspace', target: '*' });
      } finally {
        await store.close();
      }
    },
  };
}
