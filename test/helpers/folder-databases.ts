// Databases that are named as the folders of a workspace: on a server they outlive it, and others may use the same names.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { mongoOfWorkspaces } from './engine.ts';

/** Drops them. The embedded database needs none of this. */
export async function dropFolderDatabases(workspace: string): Promise<void> {
  const uri = mongoOfWorkspaces();
  if (uri === undefined) return;
  // Not imported above: whoever imports it starts the servers.
  const { rawClient } = await import('./mongo-servers.ts');
  const root = join(workspace, 'collections');
  const names = readdirSync(root).flatMap((version) => readdirSync(join(root, version)));
  for (const name of new Set(names)) await rawClient(uri).db(name).dropDatabase();
}
