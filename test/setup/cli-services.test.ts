import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCollectionRegistry } from '../../src/collections/model/collection-registry.ts';
import { buildConfig } from '../../src/config/build-config.ts';
import { openClientService, openModuleChecker, openWorkspace } from '../../src/setup/cli-services.ts';
import { openTransfer } from '../../src/setup/transfer.ts';
import { startApp } from '../helpers/app/app.ts';
import { ADMIN } from '../helpers/server-process/server-process.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

let workspace: Workspace;
beforeEach(() => {
  workspace = createWorkspace();
});
afterEach(() => workspace.remove());

describe('openModuleCheck', () => {
  it('looks at a workspace without code, and makes nothing in it', async () => {
    const { cwd } = workspace;
    const config = buildConfig(new Map());
    const opened = await openWorkspace(config, { cwd });
    const check = await openModuleChecker(config, { cwd, workspace: opened });
    try {
      expect(await check.check(createCollectionRegistry())).toEqual([]);
      expect([...(await check.hookNames())]).toEqual([]);
      expect(existsSync(join(workspace.path, 'hooks'))).toBe(false);
    } finally {
      await check.close();
    }
  });

  it('needs ceilings that can be read', async () => {
    const config = buildConfig(new Map([['sandbox.policyFile', 'nowhere.json']]));
    const { cwd } = workspace;
    const opened = await openWorkspace(config, { cwd });
    await expect(openModuleChecker(config, { cwd, workspace: opened })).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
    });
  });
});

describe('openClients', () => {
  it('administers the clients of the database that a server uses', async () => {
    const app = await startApp({ workspace });
    await app.close();
    const { clients, close } = await openClientService(buildConfig(new Map()), { cwd: workspace.cwd });
    try {
      expect((await clients.list()).map(({ clientId }) => clientId)).toEqual([ADMIN.clientId]);
      await clients.create({ clientId: 'by-hand' });
      await clients.remove('by-hand');
    } finally {
      await close();
    }
    const again = await startApp({ workspace });
    const { audit } = (await again.inject('GET', '/api/audit')).body;
    await again.close();
    expect(audit.slice(-2)).toEqual([
      expect.objectContaining({ action: 'client.create', target: 'by-hand', clientId: null }),
      expect.objectContaining({ action: 'client.remove', target: 'by-hand', clientId: null }),
    ]);
  });
});

describe('openTransfer', () => {
  it.each([
    [false, null],
    [true, 'library'],
  ])('moves what the configuration reaches (a database for each folder: %s)', async (separate, database) => {
    const settings = new Map([['database.enableCollectionDatabases', separate]]);
    const transfer = await openTransfer(buildConfig(settings), { cwd: workspace.cwd });
    try {
      const line = { database, collection: 'books', document: { v: 1, _id: '0123456789abcdef01234567' } };
      const source = async function* () {
        yield Buffer.from(JSON.stringify(line));
      };
      expect(await transfer.import(source())).toMatchObject({ inserted: 1 });
      const { namespaces: spaces } = await transfer.exporter.plan();
      expect(spaces).toEqual([{ ns: { database, collection: 'books' }, documents: 1 }]);
    } finally {
      await transfer.close();
    }
  });
});
