// What `cloister workspace push` takes of a folder, what it refuses, and what it leaves as it is when it fails.
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createChangeLog } from '../../../src/deployment/change-log.ts';
import { machineId } from '../../../src/deployment/machine.ts';
import { createProcessRecords } from '../../../src/deployment/process-records.ts';
import { openWorkspacePush } from '../../../src/setup/workspace/push.ts';
import { MAX_WORKSPACE_TEXT_BYTES } from '../../../src/stores/database-workspace.ts';
import { createTransferredSite, type TransferredSite } from './transferred-site.ts';

const HOOK = 'module.exports = (documents) => documents;';
const SPECIFICATION = '{"fields": {"title": {"type": "String"}}, "settings": {}}';

const openPush = (site: TransferredSite, folder = 'site', prune = false) => {
  const { cwd, config, openStore } = site;
  return openWorkspacePush(config, { cwd, folder: join(cwd, folder), prune, openStore });
};

async function push(site: TransferredSite, folder = 'site', prune = false) {
  const opened = await openPush(site, folder, prune);
  try {
    return await opened.apply();
  } finally {
    await opened.close();
  }
}

const pathsIn = async ({ shared }: TransferredSite) => (await shared.entries()).map(({ path }) => path);

describe('A push', () => {
  it('takes each part from where the settings say, or from its own folder where that is elsewhere', async () => {
    const site = await createTransferredSite({
      CLOISTER_PATHS_HOOKS: 'code/./hooks',
      CLOISTER_PATHS_ROUTES: '../common/routes',
      CLOISTER_PATHS_RECIPES: '/elsewhere/recipes',
    });
    site.write('site/code/hooks/slugify.js', HOOK);
    site.write('site/hooks/unused.js', HOOK);
    site.write('site/routes/homepage.json', '{}');
    site.write('site/recipes/thumbnail.json', '{}');
    await push(site);
    expect(await pathsIn(site)).toEqual([
      'hooks/slugify.js',
      'recipes/thumbnail.json',
      'routes/homepage.json',
    ]);
    expect(site.openConnections()).toBe(0);
  });

  it('keeps files apart whose names differ in case, as the server that reads them does', async () => {
    const site = await createTransferredSite();
    site.write('site/routes/Home.json', '{"route": "Home"}');
    site.write('site/routes/home.json', '{"route": "home"}');
    await push(site);
    expect(await pathsIn(site)).toEqual(['routes/Home.json', 'routes/home.json']);
  });

  it('names every file that has no text, and none that a server does not read', async () => {
    const site = await createTransferredSite();
    site.write('outside.json', '{}');
    site.write('site/hooks/long.js', 'x'.repeat(MAX_WORKSPACE_TEXT_BYTES + 1));
    site.write('site/hooks/binary.js', Buffer.from([0xff, 0xfe]));
    site.write('site/routes/back\\slash.json', '{}');
    site.write('site/readme.md', Buffer.from([0xff]));
    mkdirSync(join(site.cwd, 'site/hooks/folder.js'));
    symlinkSync('circle.js', join(site.cwd, 'site/hooks/circle.js'));
    symlinkSync('nowhere', join(site.cwd, 'site/hooks/dangling.js'));
    symlinkSync('../../outside.json', join(site.cwd, 'site/hooks/linked.js'));
    symlinkSync('../../outside.json', join(site.cwd, 'site/routes/linked.json'));
    spawnSync('mkfifo', [join(site.cwd, 'site/routes/pipe.json')]);
    const opened = await openPush(site);
    expect(opened.unreadable.toSorted()).toEqual([
      'site/hooks/binary.js: is not UTF-8',
      'site/hooks/circle.js: cannot be read: ELOOP',
      'site/hooks/folder.js: is not a file',
      'site/hooks/long.js: has more than 8388608 bytes',
      'site/routes/back\\slash.json: its name has a backslash, which no path in a database has',
      'site/routes/linked.json: is a symbolic link',
      'site/routes/pipe.json: is not a file',
    ]);
    expect(opened.difference.added).toEqual(['hooks/linked.js']);
    await opened.close();
  });

  it.each([
    ['a name that nothing has', 'absent'],
    ['a file', 'file'],
  ])('of %s opens no database, and so removes nothing', async (_what, folder) => {
    const site = await createTransferredSite();
    await site.shared.write('hooks/slugify.js', HOOK);
    site.write('file', '');
    await expect(openPush(site, folder, true)).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: `${join(site.cwd, folder)}: there is no such folder`,
    });
    expect(site.connections).toEqual([]);
    expect(await pathsIn(site)).toEqual(['hooks/slugify.js']);
  });

  it('of a folder that the system does not read fails with its error, before a database is opened', async () => {
    const site = await createTransferredSite();
    mkdirSync(join(site.cwd, 'site'));
    symlinkSync('hooks', join(site.cwd, 'site/hooks'));
    await expect(openPush(site)).rejects.toMatchObject({ code: 'ELOOP', syscall: 'scandir' });
    expect(site.connections).toEqual([]);
  });

  it('is refused where the workspace is in files', async () => {
    const site = await createTransferredSite({ CLOISTER_WORKSPACE_STORE: 'files' });
    site.write('site/hooks/slugify.js', HOOK);
    await expect(openPush(site)).rejects.toThrow('workspace.store is files: set it to database');
    expect(site.connections).toEqual([]);
  });

  it('writes nothing where somebody has changed the workspace since it was read, and may be repeated', async () => {
    const site = await createTransferredSite();
    site.write('site/hooks/first.js', HOOK);
    site.write('site/hooks/second.js', HOOK);
    const opened = await openPush(site);
    await site.shared.write('hooks/second.js', '1');
    await expect(opened.apply()).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: expect.stringContaining('nothing was written, push again'),
    });
    await opened.close();
    expect(await pathsIn(site)).toEqual(['hooks/second.js']);
    await push(site);
    expect(await pathsIn(site)).toEqual(['hooks/first.js', 'hooks/second.js']);
  });

  it('fails as the database does, writes nothing and closes it', async () => {
    const site = await createTransferredSite();
    site.write('site/hooks/slugify.js', HOOK);
    site.onConnection((connection) => connection.fail('unavailable'));
    await expect(openPush(site)).rejects.toMatchObject({ reason: 'unavailable' });
    site.onConnection((connection) => connection.fail('timeout', ['commit']));
    await expect(push(site)).rejects.toMatchObject({ reason: 'timeout' });
    expect(site.openConnections()).toBe(0);
    expect(await pathsIn(site)).toEqual([]);
  });

  it('replaces what has no text in the database', async () => {
    const site = await createTransferredSite();
    site.write('site/hooks/slugify.js', HOOK);
    await site.storeStrange({ path: 'hooks/slugify.js', text: 5 });
    const opened = await openPush(site);
    expect(opened.difference.added).toEqual(['hooks/slugify.js']);
    await opened.apply();
    await opened.close();
    expect(await site.shared.read('hooks/slugify.js', { maxBytes: 100, followLinks: true })).toMatchObject({
      state: 'bytes',
    });
  });

  it('is checked as what the database would hold: what is kept has its path there, the rest its file', async () => {
    const site = await createTransferredSite();
    site.write('site/hooks/slugify.js', HOOK);
    await site.shared.write('hooks/kept.js', HOOK);
    const kept = await openPush(site);
    const { files, folders, nameOf } = kept.candidate;
    expect((await files.list(folders.hooks, 0)).map(nameOf)).toEqual([
      'hooks/kept.js',
      'site/hooks/slugify.js',
    ]);
    await kept.close();
    const pruned = await openPush(site, 'site', true);
    expect(await pruned.candidate.files.list(folders.hooks, 0)).toEqual(['hooks/slugify.js']);
    await pruned.apply();
    await pruned.close();
    expect(await pathsIn(site)).toEqual(['hooks/slugify.js']);
  });

  it('ends when the servers have announced what they have in force, and names those', async () => {
    const site = await createTransferredSite();
    site.write('site/collections/1.0/library/collection.books.json', SPECIFICATION);
    site.write('site/endpoints/1.0/endpoint.hello.js', 'module.exports.get = () => 1;');
    site.write('site/routes/homepage.json', '{}');
    const deps = { store: site.store, now: Date.now, timeoutMs: 60_000 };
    const { pid } = process;
    await createProcessRecords(deps).save({
      id: 'a'.repeat(24),
      host: 'host',
      machine: machineId(),
      pid,
      address: 'a:80',
      version: '1.0.0',
      since: 0,
      lastSeen: 0,
      beat: 1,
      applied: 10,
      settings: {},
      cacheAway: false,
    });
    const log = createChangeLog(deps);
    const pushing = push(site);
    await expect.poll(() => log.newest()).toBe(1);
    await log.append({ kind: 'specification', target: '/1.0/library/books' }, 'server');
    await log.append({ kind: 'module', target: 'endpoint:1.0/hello' }, 'server');
    expect(await pushing).toEqual({ inForce: ['a:80'], silent: [] });
  });
});
