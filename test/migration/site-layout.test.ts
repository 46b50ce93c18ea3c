// What a folder is taken for: of which server it is, where its workspace is, which environment is meant.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/temp/folders.ts';
import { contentsOf, layFiles, runMigration, type SiteFiles } from './site-files.ts';

async function migrated(files: SiteFiles, flags: { readonly env?: string } = {}) {
  const folder = await temporaryFolder();
  layFiles(join(folder, 'site'), files);
  return runMigration(folder, flags);
}

const COLLECTION = { fields: { name: { type: 'String' } } };
const PORT = { server: { port: 9000 } };
const OF_CDN = { delivery: { port: 9000, plainRecipe: 'plain' } };

describe('the folder of a site', () => {
  it.each([
    ['its package', { 'package.json': { dependencies: { '@dadi/cdn': '1' } } }, OF_CDN],
    [
      'its package',
      {
        'package.json': { dependencies: { '@dadi/api': '1' } },
        'workspace/recipes/abcde.json': { recipe: 'abcde' },
      },
      PORT,
    ],
    ['its settings', { 'config/config.development.json': { ...PORT, security: {} } }, OF_CDN],
    ['its folders', { 'workspace/recipes/abcde.json': { recipe: 'abcde' } }, OF_CDN],
    ['nothing else', {}, PORT],
  ])('is known for that of an API or a CDN by %s', async (_what, files, settings) => {
    const run = await migrated({ 'config/config.development.json': PORT, ...files });
    expect(JSON.parse(run.written('config.json'))).toEqual(settings);
  });

  it('may be the workspace itself', async () => {
    const run = await migrated({
      'collections/1.0/db/collection.a.json': COLLECTION,
      'hooks/h.js': 'module.exports = (obj) => obj;',
    });
    expect(Object.keys(contentsOf(join(run.out, 'workspace')))).toEqual([
      'collections/1.0/db/collection.a.json',
      'config.json',
      'hooks/h.js',
    ]);
  });

  it.each(['/etc', '../outside', 'node_modules/x', 'a/../../outside'])('has no part at %s', async (path) => {
    const run = await migrated({
      'config/config.development.json': { paths: { hooks: path } },
      'workspace/hooks/h.js': 'module.exports = (obj) => obj;',
    });
    expect(run.line('workspace/hooks/h.js')).toContain('kept');
  });

  it.each([
    [['development', 'production'], undefined, 'development'],
    [['production'], undefined, 'production'],
    [['development', 'production'], 'production', 'production'],
  ])('has the environments %j, of which %s means %s', async (names, env, meant) => {
    const files = Object.fromEntries(
      names.map((name) => [`config/config.${name}.json`, { server: { name } }]),
    );
    const run = await migrated(files, env === undefined ? {} : { env });
    expect(JSON.parse(run.written('config.json'))).toEqual({ server: { name: meant } });
    expect(run.report).toContain(`## Settings of \`${meant}\``);
  });

  it.each([
    ['staging', 'there is no environment `staging`: --env takes `development`'],
    ['a\u001b[2J`', 'there is no environment'],
  ])('has no environment %j', async (env, message) => {
    const run = await migrated({ 'config/config.development.json': {} }, { env });
    expect(run).toMatchObject({ code: 1, report: '', complained: [expect.stringContaining(message)] });
  });

  it('says of every file what became of it', async () => {
    const files = {
      'README.md': '',
      'main.js': '',
      'config/config.development.json': {},
      'config/notes.txt': '',
      'config/config.broken.json': '{',
      'workspace/README': '',
      'workspace/collections/collection.a.json': COLLECTION,
      'workspace/collections/1.0/db/old.txt': '',
      'workspace/collections/1.0/db/collection.a.json': COLLECTION,
      'workspace/endpoints/endpoint.a.js': '',
      'workspace/hooks/README.md': '',
      'workspace/routes/route one.json': {},
      'workspace/plugins/a.txt': '',
      'log/api.log': '',
    };
    const run = await migrated(files);
    const subjects = ['log', ...Object.keys(files).filter((path) => path !== 'log/api.log')];
    for (const subject of subjects) expect(run.line(subject), subject).not.toBe('');
    expect(run.line('config/config.broken.json')).toContain(
      '**needs a hand**: left out: line 1 is not valid JSON',
    );
  });

  it('has one specification under each name', async () => {
    const at = (name: string) => `workspace/collections/1.0/db/collection.${name}.json`;
    const run = await migrated({ [at('a')]: { ...COLLECTION, model: 'b' }, [at('b')]: COLLECTION });
    expect(run.line(at('b'))).toContain('**needs a hand**: left out: there is another specification of `b`');
  });

  it.each([
    ['^2.2.0', undefined],
    ['1.x', undefined],
    ['latest', undefined],
    ['~3.1', 'underscored'],
    ['>=10.0.0', 'underscored'],
  ])('of version %s has internals that are called %s', async (version, internals) => {
    const path = 'collections/1.0/db/collection.a.json';
    const files = {
      'package.json': { dependencies: { '@dadi/api': version } },
      [`workspace/${path}`]: COLLECTION,
    };
    const run = await migrated(files);
    expect(JSON.parse(run.written(path)).settings?.internals).toBe(internals);
  });
});
