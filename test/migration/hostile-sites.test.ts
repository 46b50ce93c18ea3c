// Folders that strangers have filled: a migration follows no link, waits for no pipe, writes nowhere else, and ends.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MAX_FOLDER_DEPTH } from '../../src/migration/files/list-folder.ts';
import { MAX_FILE_BYTES, openContainedFiles } from '../../src/migration/files/source-files.ts';
import { MAX_JSON_BYTES } from '../../src/migration/settings/json5.ts';
import { MAX_CODE_DEPTH, MAX_CODE_NODES } from '../../src/modules/source-text/parse-code.ts';
import { temporaryFolder } from '../helpers/temp/folders.ts';
import { contentsOf, layFiles, namesIn, packageFiles, runMigration, type SiteFiles } from './site-files.ts';

const COLLECTION = { fields: { name: { type: 'String' } }, settings: { authenticate: false } };

async function siteWith(files: SiteFiles) {
  const folder = await temporaryFolder();
  return { folder, site: layFiles(join(folder, 'site'), files) };
}

describe('a hostile folder', () => {
  it('has links: to files, folders, itself, out of it and on the way; none is followed', async () => {
    const { folder, site } = await siteWith({
      'workspace/hooks/a.js': "module.exports = require('linked');\n",
      'node_modules/.keep': '',
    });
    layFiles(folder, {
      'outside/secret.json': COLLECTION,
      'outside/index.js': 'module.exports = "leaked";',
      'outside/config.json': { server: { port: 1 } },
    });
    const collections = join(site, 'workspace/collections/1.0/db');
    mkdirSync(collections, { recursive: true });
    symlinkSync(join(folder, 'outside/secret.json'), join(collections, 'collection.linked.json'));
    symlinkSync('collection.loop.json', join(collections, 'collection.loop.json'));
    symlinkSync('..', join(site, 'workspace/collections/2.0'));
    symlinkSync(join(folder, 'outside'), join(site, 'workspace/recipes'));
    symlinkSync(join(folder, 'outside'), join(site, 'node_modules/linked'));
    symlinkSync(join(folder, 'outside'), join(site, 'config'));
    const run = await runMigration(folder);
    expect(run.code).toBe(1);
    for (const path of [
      'workspace/collections/1.0/db/collection.linked.json',
      'workspace/collections/1.0/db/collection.loop.json',
      'workspace/collections/2.0',
      'workspace/recipes',
      'config',
    ]) {
      expect(run.line(path)).toContain('it is a link, which is not followed');
    }
    expect(run.line('workspace/hooks/a.js')).toContain('`linked` is not installed beside it');
    expect(JSON.stringify(contentsOf(run.out))).not.toContain('leaked');
    expect(Object.keys(contentsOf(join(run.out, 'workspace')))).toEqual(['config.json', 'hooks/a.js']);
  });

  it('has pipes, sockets and devices in the place of files', async () => {
    const { folder, site } = await siteWith({
      'workspace/hooks/a.js': "module.exports = require('./pipe');\n",
    });
    execFileSync('mkfifo', [join(site, 'workspace/hooks/pipe.js'), join(site, 'package.json')]);
    mkdirSync(join(site, 'config'));
    execFileSync('mkfifo', [join(site, 'config/config.development.json')]);
    const socket = createServer().listen(join(site, 'workspace/hooks/s.js'));
    onTestFinished(() => void socket.close());
    const run = await runMigration(folder);
    for (const name of ['pipe', 's'])
      expect(run.line(`workspace/hooks/${name}.js`)).toContain('it is neither a file nor a folder');
    expect(run.line('workspace/hooks/a.js')).toContain('`./pipe` is not there');
    expect(run.line('config/config.development.json')).toContain('it is neither a file nor a folder');
  });

  it('has folders within folders beyond the bound: nothing is written', async () => {
    const { folder, site } = await siteWith({});
    mkdirSync(join(site, 'workspace/hooks', ...Array.from({ length: MAX_FOLDER_DEPTH + 1 }, () => 'd')), {
      recursive: true,
    });
    const run = await runMigration(folder);
    expect(run).toMatchObject({
      code: 1,
      complained: [expect.stringContaining(`more than ${MAX_FOLDER_DEPTH} folders`)],
    });
    expect(namesIn(folder)).toEqual(['site']);
  });

  it('has JSON that is deep, long, no object, twice or a way to a prototype', async () => {
    const at = (name: string) => `workspace/collections/1.0/db/collection.${name}.json`;
    const { folder } = await siteWith({
      [at('deep')]: '['.repeat(100_000) + ']'.repeat(100_000),
      [at('deeper')]: `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`,
      [at('long')]: `{"a": "${'x'.repeat(MAX_JSON_BYTES)}"}`,
      [at('list')]: '[]',
      [at('code')]: '{"a": process.exit(1)}',
      [at('proto')]: '{"__proto__": {"fields": {}}, "fields": {}}',
      [at('twice')]:
        '{"fields": {"a": {"type": "String"}}, "fields": {"b": {"type": "String"}}, "settings": {}}',
      [at('bytes')]: '{"fields": {"a": {"type": "String"}}, "settings": {"displayName": "\ud800"}}',
    });
    const run = await runMigration(folder);
    expect(run.line(at('deep'))).toContain('it nests too deep');
    expect(run.line(at('deeper'))).toContain('it nests deeper than 100 levels');
    expect(run.line(at('long'))).toContain(`it has more than ${MAX_JSON_BYTES} bytes`);
    expect(run.line(at('list'))).toContain('it is not a JSON object');
    expect(run.line(at('code'))).toContain('an expression is no value');
    expect(run.line(at('proto'))).toContain('`__proto__` is a reserved name');
    expect(run.line(at('twice'))).toContain('`fields` is given twice; the last one counts');
    expect(({} as { fields?: unknown }).fields).toBeUndefined();
    expect(Object.keys(contentsOf(join(run.out, 'workspace/collections/1.0/db'))).sort()).toEqual([
      'collection.bytes.json',
      'collection.twice.json',
    ]);
  });

  it('has names that would write into the report or the terminal', async () => {
    const names = [
      'collection.a\n- `x` kept.json',
      'collection.\u202egnp.json',
      'collection.`b`.json',
      'collection.one`tick.json',
      'collection.\u001b[2J.json',
      'collection.<img src=x>.json',
      'collection...json',
      'collection.__proto__.json',
    ];
    const { folder } = await siteWith(
      Object.fromEntries(names.map((name) => [`workspace/collections/1.0/db/${name}`, COLLECTION])),
    );
    const run = await runMigration(folder);
    expect(run.code).toBe(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
    expect(run.report).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202a-\u202e]/);
    expect(run.report.split('\n').filter((line) => line.startsWith('- `x`'))).toEqual([]);
    expect(run.report.split('\n').filter((line) => line.startsWith('- `workspace/coll'))).toHaveLength(
      names.length,
    );
    for (const line of run.report.split('\n')) expect((line.match(/`/g) ?? []).length % 2).toBe(0);
  });

  it('names settings that are members of every object', async () => {
    const { folder } = await siteWith({
      'config/config.development.json':
        '{"constructor": {"prototype": {"x": 1}}, "toString": "a", "server": {"hasOwnProperty": 1, "port": {"valueOf": 2}}, "hooks": null, "a`b|<i>\\n# c": 1}',
    });
    const run = await runMigration(folder);
    expect(run.code).toBe(1);
    expect(run.line('constructor.prototype.x')).toContain('there is no such setting');
    expect(run.line('server.port.valueOf')).toContain('there is no such setting');
    expect(run.report).not.toMatch(/^# c/m);
    expect(JSON.parse(run.written('config.json'))).toEqual({});
  });

  it('has code that ends parsers, and packages that lead in circles', async () => {
    const { folder } = await siteWith({
      'workspace/hooks/deep.js': `module.exports = ${'['.repeat(20_000)}${']'.repeat(20_000)};`,
      'workspace/hooks/chain.js': `module.exports = 1${' + 1'.repeat(MAX_CODE_DEPTH)};`,
      'workspace/hooks/nodes.js': `module.exports = [${'0,'.repeat(MAX_CODE_NODES)}];`,
      'workspace/hooks/circle.js': "module.exports = require('a');",
      'node_modules/a/package.json': { name: 'a', main: '../a', browser: { './index.js': 'a' } },
      'node_modules/a/index.js': "module.exports = require('a');",
      'workspace/hooks/out.js': "module.exports = [require('b'), require('../../../outside/index.js')];",
      'node_modules/b/package.json': {
        name: 'b',
        main: '../../../outside/index.js',
        exports: { '.': './../../../outside/index.js' },
      },
      'workspace/hooks/large.js': `// ${'x'.repeat(MAX_FILE_BYTES)}`,
      ...packageFiles('fine', 'module.exports = 1'),
      'workspace/hooks/fine.js': "module.exports = () => require('fine');",
    });
    layFiles(folder, { 'outside/index.js': 'module.exports = "leaked";' });
    const run = await runMigration(folder);
    expect(run.line('workspace/hooks/deep.js')).toContain('it nests too deep');
    expect(run.line('workspace/hooks/chain.js')).toContain('it nests too deep');
    expect(run.line('workspace/hooks/nodes.js')).toContain(`it has more than ${MAX_CODE_NODES} nodes`);
    expect(run.line('workspace/hooks/circle.js')).toContain('`a` leads to itself');
    expect(run.line('workspace/hooks/out.js')).toContain('the package does not offer `.`');
    expect(run.line('workspace/hooks/out.js')).toContain('`../../../outside/index.js` is not there');
    expect(run.line('workspace/hooks/large.js')).toContain(`it has more than ${MAX_FILE_BYTES} bytes`);
    expect(run.line('workspace/hooks/fine.js')).toContain('bundled with `fine 1.0.0`');
    expect(JSON.stringify(contentsOf(run.out))).not.toContain('leaked');
  });

  it('changes while it is read', async () => {
    const { site } = await siteWith({ 'a.js': 'x'.repeat(100), 'b/c.js': 'inside' });
    const files = openContainedFiles(site);
    const growing = files.read(join(site, 'a.js'));
    appendFileSync(join(site, 'a.js'), 'more');
    const read = await growing;
    expect(
      'text' in read ? ['x'.repeat(100), `${'x'.repeat(100)}more`].includes(read.text) : read.why,
    ).toSatisfy((value) => value === true || value === 'it changed while it was read');
    renameSync(join(site, 'b'), join(site, 'd'));
    symlinkSync(join(site, 'd'), join(site, 'b'));
    expect(await files.read(join(site, 'b/c.js'))).toEqual({ why: 'it is behind a link, or not there' });
  });
});
