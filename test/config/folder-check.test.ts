// Folders that settings name against each other and against what is the server's own, by every way that leads there.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assertFolders, folderIssues } from '../../src/config/folder-check.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { temporaryFolder } from '../helpers/temp/folders.ts';

const SETTINGS: Readonly<Record<string, (path: string) => JsonObject>> = {
  'media.basePath': (basePath) => ({ media: { basePath } }),
  'images.directory.path': (path) => ({ images: { directory: { enabled: true, path } } }),
  'assets.directory.path': (path) => ({ assets: { directory: { enabled: true, path } } }),
  'delivery.cache.path': (path) => ({ delivery: { cache: { path } } }),
  'cache.path': (path) => ({ cache: { enabled: true, engine: 'filesystem', path } }),
};
const FOLDERS = [
  'data',
  'audit',
  'files',
  '..data',
  'workspace/media',
  'workspace/collections/1.0',
  'images',
];

/** The folders of a server in a run directory of its own; `links` are symbolic links, by what they lead to. */
async function runDirectory(links: Readonly<Record<string, string>> = {}): Promise<string> {
  const cwd = await temporaryFolder();
  for (const folder of [...FOLDERS, 'workspace/routes']) mkdirSync(join(cwd, folder), { recursive: true });
  writeFileSync(join(cwd, 'file'), '');
  writeFileSync(join(cwd, 'limits.json'), '{}');
  for (const [name, target] of Object.entries(links)) symlinkSync(join(cwd, target), join(cwd, name));
  return cwd;
}

/** Errors and warnings for this configuration, in one line each. */
async function issuesOf(cwd: string, settings: JsonObject): Promise<readonly string[]> {
  const configFile = join(cwd, 'workspace/config.json');
  writeFileSync(configFile, JSON.stringify({ auth: { auditPath: 'audit' }, ...settings }));
  const { config, issues } = await loadConfig({ flags: {}, env: {}, cwd });
  expect(issues).toEqual([]);
  const found = await folderIssues(config, { cwd, configFile });
  return found.map(({ severity, field, message }) => `${severity}: ${field} ${message.replace(cwd, '')}`);
}

it('the folders of the default configuration are right, all features on', async () => {
  const settings = {
    ...SETTINGS['images.directory.path']?.('images'),
    ...SETTINGS['cache.path']?.('.cache/responses'),
    ...SETTINGS['assets.directory.path']?.('public'),
    notFound: { images: { enabled: true } },
  };
  expect(await issuesOf(await runDirectory(), settings)).toEqual([]);
});

describe.each(Object.entries(SETTINGS))('%s', (field, settingOf) => {
  it.each(['files', 'not/there/yet', 'workspace/other', '..data', 'database'])('may be %s', async (path) => {
    expect(await issuesOf(await runDirectory(), settingOf(path))).toEqual([]);
  });

  const REFUSED: readonly (readonly [string, string])[] = [
    ['data', 'must not be or contain the folder of the database'],
    ['data/below', 'must not lie in the folder of the database'],
    ['audit', 'must not be or contain the folder of the audit log'],
    ['workspace', 'must not be or contain the configuration'],
    ['workspace', 'must not be or contain the folder of specifications'],
    ['workspace/collections/1.0', 'must not lie in the folder of specifications'],
    ['workspace/endpoints', 'must not be or contain the folder of endpoints'],
    ['workspace/hooks/x', 'must not lie in the folder of hooks'],
    ['workspace/routes', 'must not be or contain the folder of routes'],
    ['workspace/recipes', 'must not be or contain the folder of recipes'],
    ['.', 'must not be or contain the folder of the database'],
    ['link-to-data', 'must not be or contain the folder of the database'],
    ['link-to-data/not/there/yet', 'must not lie in the folder of the database'],
    ['link-to-workspace', 'must not be or contain the configuration'],
    ['link-to-workspace/collections', 'must not be or contain the folder of specifications'],
    ['files/up', 'must not be or contain the folder of the database'],
  ];
  it.each(REFUSED)('must not be %s: it %s', async (path, message) => {
    const links = { 'link-to-data': 'data', 'link-to-workspace': 'workspace', 'files/up': '.' };
    const issues = await issuesOf(await runDirectory(links), settingOf(path));
    expect(issues).toContain(`error: ${field} ${message}`);
  });

  it('must not contain the policy limits', async () => {
    const settings = { ...settingOf('files'), sandbox: { policyFile: 'files/limits.json' } };
    expect(await issuesOf(await runDirectory(), settings)).toEqual([
      `error: ${field} must not be or contain the policy limits`,
    ]);
  });

  it('is compared with the absolute path of a folder that a link names', async () => {
    const cwd = await runDirectory({ 'link-to-data': 'data' });
    const settings = { ...settingOf('data/x'), database: { sqlite: { path: 'link-to-data' } } };
    expect(await issuesOf(cwd, settings)).toEqual([
      `error: ${field} must not lie in the folder of the database`,
    ]);
  });
});

const PAIRS: readonly (readonly [JsonObject, string])[] = [
  [
    { media: { basePath: 'x' }, ...SETTINGS['images.directory.path']?.('x/below') },
    'images.directory.path must not lie in the folder of media files',
  ],
  [
    { ...SETTINGS['images.directory.path']?.('workspace/media') },
    'images.directory.path must not be or contain the folder of media files',
  ],
  [
    { ...SETTINGS['images.directory.path']?.('x'), ...SETTINGS['delivery.cache.path']?.('x') },
    'images.directory.path must not be or contain the folder of rendered images',
  ],
  [
    { ...SETTINGS['cache.path']?.('x'), ...SETTINGS['delivery.cache.path']?.('x/y') },
    'cache.path must not be or contain the folder of rendered images',
  ],
  [
    { ...SETTINGS['cache.path']?.('x/y'), media: { basePath: 'x' } },
    'cache.path must not lie in the folder of media files',
  ],
];
it.each(PAIRS)('with %j two folders overlap: %s', async (settings, issue) => {
  expect(await issuesOf(await runDirectory(), settings)).toEqual([`error: ${issue}`]);
});

it.each([
  ['workspace/config.json', 'must not be or contain the configuration'],
  ['data/cloister.db', 'must not lie in the folder of the database'],
])('what stands in for missing images must not be %s', async (path, message) => {
  const settings = { notFound: { images: { enabled: true, path } } };
  expect(await issuesOf(await runDirectory(), settings)).toEqual([`error: notFound.images.path ${message}`]);
});

it('folders that are not in use are not looked at', async () => {
  const settings = {
    images: { directory: { enabled: false, path: 'workspace' } },
    cache: { enabled: false, engine: 'filesystem', path: 'data' },
    notFound: { images: { enabled: false, path: 'workspace/config.json' } },
  };
  expect(await issuesOf(await runDirectory(), settings)).toEqual([]);
});

it.each(['file', 'file/media'])('media files cannot lie in %s, which is a file', async (basePath) => {
  expect(await issuesOf(await runDirectory(), { media: { basePath } })).toEqual([
    'error: media.basePath is no folder: /file is a file',
  ]);
});

it('a start is refused with the names of all settings that are wrong', async () => {
  const cwd = await runDirectory();
  const configFile = join(cwd, 'workspace/config.json');
  const settings = { ...SETTINGS['images.directory.path']?.('data'), ...SETTINGS['cache.path']?.('data') };
  writeFileSync(configFile, JSON.stringify(settings));
  const { config } = await loadConfig({ flags: {}, env: {}, cwd });
  const wrong = 'must not be or contain the folder of the database';
  await expect(assertFolders(config, { cwd, configFile })).rejects.toMatchObject({
    code: 'CONFIGURATION_INVALID',
    items: expect.arrayContaining([
      { field: 'cache.path', message: `cache.path ${wrong}` },
      { field: 'images.directory.path', message: `images.directory.path ${wrong}` },
    ]),
  });
});
