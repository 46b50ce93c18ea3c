// What `cloister workspace pull` writes into a folder, and where it refuses to.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openWorkspacePull } from '../../../src/setup/workspace/pull.ts';
import { filesBelow } from '../../helpers/temp/folders.ts';
import { createTransferredSite, type TransferredSite } from './transferred-site.ts';

const HOOK = 'module.exports = (documents) => documents;';

interface Options {
  readonly overwrite?: boolean;
  readonly prune?: boolean;
}

const openPull = (site: TransferredSite, { overwrite = false, prune = false }: Options = {}) => {
  const { cwd, config, openStore } = site;
  return openWorkspacePull(config, { cwd, folder: join(cwd, 'copy'), overwrite, prune, openStore });
};

async function pull(site: TransferredSite, options?: Options) {
  const opened = await openPull(site, options);
  try {
    await opened.apply();
    return opened.difference;
  } finally {
    await opened.close();
  }
}

describe('A pull', () => {
  it('writes each part where the settings say, or into its own folder where that is elsewhere', async () => {
    const site = await createTransferredSite({
      CLOISTER_PATHS_HOOKS: 'code/hooks',
      CLOISTER_PATHS_ROUTES: '../routes',
    });
    await site.shared.write('hooks/slugify.js', HOOK);
    await site.shared.write('routes/Home.json', '1');
    await site.shared.write('routes/home.json', '2');
    expect((await pull(site)).added).toHaveLength(3);
    expect(filesBelow(join(site.cwd, 'copy'))).toEqual([
      'code/hooks/slugify.js',
      'routes/Home.json',
      'routes/home.json',
    ]);
    expect(site.read('copy/routes/home.json')).toBe('2');
    expect(site.openConnections()).toBe(0);
  });

  it('writes into an empty folder, and into one with files only where it is told to', async () => {
    const site = await createTransferredSite();
    await site.shared.write('hooks/slugify.js', HOOK);
    mkdirSync(join(site.cwd, 'copy'));
    await pull(site);
    await expect(openPull(site)).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: expect.stringMatching(/copy is not empty: .*--overwrite/),
    });
    expect((await pull(site, { overwrite: true })).equal).toEqual(['hooks/slugify.js']);
    expect(site.openConnections()).toBe(0);
  });

  it('leaves files as they are that are equal, and those that only the folder has unless they are to go', async () => {
    const site = await createTransferredSite();
    await site.shared.write('hooks/equal.js', HOOK);
    await site.shared.write('hooks/changed.js', HOOK);
    site.write('copy/hooks/equal.js', HOOK);
    site.write('copy/hooks/changed.js', 'x');
    site.write('copy/hooks/surplus.js', HOOK);
    site.write('copy/config.json', '{}');
    const identity = () => statSync(join(site.cwd, 'copy/hooks/equal.js')).ino;
    const before = identity();
    await pull(site, { overwrite: true });
    expect(identity()).toBe(before);
    expect(site.read('copy/hooks/changed.js')).toBe(HOOK);
    expect(readdirSync(join(site.cwd, 'copy/hooks'))).toEqual(['changed.js', 'equal.js', 'surplus.js']);
    await pull(site, { overwrite: true, prune: true });
    expect(filesBelow(join(site.cwd, 'copy'))).toEqual(['config.json', 'hooks/changed.js', 'hooks/equal.js']);
  });

  it.each([
    'config.json',
    'hooks',
    'hooks/../../x.js',
    '/hooks/x.js',
    'hooks//x.js',
    'hooks/a\\b.js',
    'media/x',
  ])('writes nothing where the database has the path %j', async (path) => {
    const site = await createTransferredSite();
    await site.shared.write('hooks/slugify.js', HOOK);
    await site.storeStrange({ path, text: path === 'config.json' ? 5 : HOOK });
    await expect(openPull(site)).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: `the database has a path that no workspace has: ${JSON.stringify(path)}`,
    });
    expect(existsSync(join(site.cwd, 'copy'))).toBe(false);
    expect(site.openConnections()).toBe(0);
  });

  it('leaves out what has no text in the database', async () => {
    const site = await createTransferredSite();
    await site.shared.write('hooks/slugify.js', HOOK);
    await site.storeStrange({ path: 'hooks/number.js', text: 5 });
    expect((await pull(site)).added).toEqual(['hooks/slugify.js']);
  });

  it.each([
    ['a file by a link', 'copy/hooks/slugify.js', '../../outside/slugify.js'],
    ['a folder by a link', 'copy/hooks', '../outside'],
  ])('changes nothing elsewhere that has the place of %s', async (_what, link, target) => {
    const site = await createTransferredSite();
    await site.shared.write('hooks/slugify.js', HOOK);
    site.write('outside/slugify.js', 'mine');
    site.write('copy/config.json', '{}');
    mkdirSync(join(site.cwd, link, '..'), { recursive: true });
    symlinkSync(target, join(site.cwd, link));
    await expect(openPull(site, { overwrite: true })).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: expect.stringContaining('is elsewhere, by a link: '),
    });
    await site.shared.remove('hooks/slugify.js');
    await expect(openPull(site, { overwrite: true, prune: true })).rejects.toThrow('is elsewhere, by a link');
    expect(readFileSync(join(site.cwd, 'outside/slugify.js'), 'utf8')).toBe('mine');
    expect(site.openConnections()).toBe(0);
  });

  it('takes a folder that is reached by a link, and replaces a link that leads nowhere', async () => {
    const site = await createTransferredSite();
    await site.shared.write('hooks/slugify.js', HOOK);
    mkdirSync(join(site.cwd, 'real/hooks'), { recursive: true });
    symlinkSync('real', join(site.cwd, 'copy'));
    symlinkSync('nowhere', join(site.cwd, 'real/hooks/slugify.js'));
    await pull(site, { overwrite: true });
    expect(site.read('real/hooks/slugify.js')).toBe(HOOK);
    expect(filesBelow(join(site.cwd, 'real'))).toEqual(['hooks/slugify.js']);
  });

  it('fails with the error of the system where a file has the place of the folder', async () => {
    const site = await createTransferredSite();
    site.write('copy', '');
    await expect(openPull(site)).rejects.toMatchObject({ code: 'ENOTDIR', syscall: 'scandir' });
    expect(site.openConnections()).toBe(0);
  });

  it('fails where a file has the place of a folder of the copy', async () => {
    const site = await createTransferredSite();
    await site.shared.write('hooks/slugify.js', HOOK);
    site.write('copy/hooks', '');
    await expect(pull(site, { overwrite: true })).rejects.toMatchObject({ code: 'WORKSPACE_UNAVAILABLE' });
    expect(site.openConnections()).toBe(0);
  });

  it('fails as the database does, and closes it', async () => {
    const site = await createTransferredSite();
    site.onConnection((connection) => connection.fail('timeout'));
    await expect(openPull(site)).rejects.toMatchObject({ reason: 'timeout' });
    expect(site.openConnections()).toBe(0);
    expect(existsSync(join(site.cwd, 'copy'))).toBe(false);
  });
});
