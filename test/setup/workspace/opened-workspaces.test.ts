// The workspace in a database, as commands and servers open it.
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createChangeLog } from '../../../src/deployment/change-log.ts';
import type { Coordination } from '../../../src/deployment/coordination.ts';
import { openCommandWorkspace } from '../../../src/setup/workspace/command-workspace.ts';
import { copyWorkspace } from '../../../src/setup/workspace/copy-workspace.ts';
import { openWorkspaceOf } from '../../../src/setup/workspace/open-workspace.ts';
import { openServerWorkspace } from '../../../src/setup/workspace/server-workspace.ts';
import { filesBelow } from '../../helpers/temp/folders.ts';
import { createTransferredSite, type TransferredSite } from './transferred-site.ts';

const HOOK = 'module.exports = (documents) => documents;';
const ANY = { maxBytes: 1000, followLinks: true };

const changesIn = ({ store }: TransferredSite) =>
  createChangeLog({ store, now: Date.now, timeoutMs: 60_000 }).since(0);

it('a command that only reads a workspace in the database tells the servers nothing', async () => {
  const site = await createTransferredSite();
  await site.shared.write('hooks/slugify.js', HOOK);
  const workspace = await openCommandWorkspace(site.config, site);
  const [file = ''] = await workspace.files.list(workspace.folders.hooks, 0);
  expect(workspace.nameOf(file)).toBe('hooks/slugify.js');
  await workspace.close();
  expect(await changesIn(site)).toEqual({ newest: 0, changes: [] });
  expect(site.openConnections()).toBe(0);
});

it('a command that writes to a workspace in the database tells the servers once, when it closes it', async () => {
  const site = await createTransferredSite();
  const workspace = await openCommandWorkspace(site.config, site);
  await workspace.files.write('hooks/a.policy.json', '{}');
  await workspace.files.write('hooks/b.policy.json', '{}');
  expect((await changesIn(site)).newest).toBe(0);
  await workspace.close();
  expect((await changesIn(site)).changes).toMatchObject([{ kind: 'workspace', target: '*' }]);
  expect(site.openConnections()).toBe(0);
});

it('a command that cannot tell the servers says so, and closes the database all the same', async () => {
  const site = await createTransferredSite();
  const workspace = await openCommandWorkspace(site.config, site);
  await workspace.files.write('hooks/a.policy.json', '{}');
  site.connections[0]?.fail();
  await expect(workspace.close()).rejects.toMatchObject({ reason: 'unavailable' });
  expect(site.openConnections()).toBe(0);
});

it('a command opens no database for a workspace in files', async () => {
  const site = await createTransferredSite({ CLOISTER_WORKSPACE_STORE: 'files' });
  site.write('workspace/hooks/slugify.js', HOOK);
  const workspace = await openCommandWorkspace(site.config, site);
  expect((await workspace.files.list(workspace.folders.hooks, 0)).map(workspace.nameOf)).toEqual([
    'workspace/hooks/slugify.js',
  ]);
  await workspace.close();
  expect(site.connections).toEqual([]);
});

it('beside an open database, the workspace is where the settings say', async () => {
  const inDatabase = await createTransferredSite();
  await inDatabase.shared.write('hooks/slugify.js', HOOK);
  const inFiles = await createTransferredSite({ CLOISTER_WORKSPACE_STORE: 'files' });
  inFiles.write('workspace/hooks/slugify.js', HOOK);
  for (const site of [inDatabase, inFiles]) {
    const { files, folders } = openWorkspaceOf(site.config, site);
    const [file = ''] = await files.list(folders.hooks, 0);
    expect(await files.read(file, ANY)).toEqual({ state: 'bytes', bytes: Buffer.from(HOOK) });
  }
});

it('a server with its workspace in the database says so, and looks again when it hears of a change', async () => {
  const site = await createTransferredSite();
  const heard: Parameters<Coordination['onChange']>[] = [];
  const deployment: Pick<Coordination, 'onChange'> = {
    onChange: (kind, listener) => void heard.push([kind, listener]),
  };
  const workspace = openServerWorkspace(site.config, { ...site, deployment });
  expect(workspace.isReadableAtOnce).toBe(false);
  expect(workspace.notices).toEqual([
    `specifications, code, routes and recipes are in the database: those in ${join(site.cwd, 'workspace')} are not read`,
  ]);
  const changed: string[] = [];
  const end = await workspace.files.watch('hooks', {
    depth: 0,
    expected: () => [],
    onFile: (file) => changed.push(file),
    onError: (error) => changed.push(String(error)),
  });
  await site.shared.write('hooks/slugify.js', HOOK);
  expect(heard.map(([kind]) => kind)).toEqual(['workspace']);
  await heard[0]?.[1]('*');
  expect(changed).toEqual(['hooks/slugify.js']);
  await end();
});

it('a server with its workspace in files reads it at once, and is told of no change', async () => {
  const site = await createTransferredSite({ CLOISTER_WORKSPACE_STORE: 'files' });
  const deployment = {
    onChange: () => {
      throw new Error('nobody announces changes of files');
    },
  };
  const { isReadableAtOnce, notices } = openServerWorkspace(site.config, { ...site, deployment });
  expect([isReadableAtOnce, notices]).toEqual([true, []]);
});

it('a copy of a workspace has what a server reads of some of its parts, and not what cannot be read', async () => {
  const site = await createTransferredSite({ CLOISTER_WORKSPACE_STORE: 'files' });
  const { config, cwd } = site;
  site.write('workspace/hooks/slugify.js', HOOK);
  site.write('workspace/collections/1.0/library/collection.books.json', '{}');
  site.write('workspace/routes/homepage.json', '{}');
  mkdirSync(join(cwd, 'workspace/hooks/folder.js'));
  symlinkSync('circle.js', join(cwd, 'workspace/hooks/circle.js'));
  await copyWorkspace(openWorkspaceOf(config, site), ['collections', 'hooks'], join(cwd, 'copy'));
  expect(filesBelow(join(cwd, 'copy'))).toEqual([
    'collections/1.0/library/collection.books.json',
    'hooks/slugify.js',
  ]);
});
