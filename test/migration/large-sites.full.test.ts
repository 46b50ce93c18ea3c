// Sites with more files than are looked at.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAX_SOURCE_BYTES, MAX_SOURCES } from '../../src/migration/code/module-graph.ts';
import { MAX_ENTRIES } from '../../src/migration/files/list-folder.ts';
import { temporaryFolder } from '../helpers/temp/folders.ts';
import { layFiles, namesIn, runMigration, type SiteFiles } from './site-files.ts';

async function siteWith(files: SiteFiles) {
  const folder = await temporaryFolder();
  return { folder, site: layFiles(join(folder, 'site'), files) };
}

describe('a large folder', () => {
  it('has more files than are looked at: nothing is written', async () => {
    const { folder, site } = await siteWith({ 'workspace/hooks/a.js': 'module.exports = (obj) => obj;' });
    const many = join(site, 'workspace/recipes');
    mkdirSync(many);
    for (let count = 0; count <= MAX_ENTRIES; count += 1) writeFileSync(join(many, `${count}.json`), '');
    const run = await runMigration(folder);
    expect(run).toMatchObject({
      code: 1,
      complained: [expect.stringContaining(`more than ${MAX_ENTRIES} files`)],
    });
    expect(namesIn(folder)).toEqual(['site']);
  });

  it('has more files in packages than are looked at, which does not matter', async () => {
    const { folder, site } = await siteWith({ 'workspace/hooks/a.js': 'module.exports = (obj) => obj;' });
    const many = join(site, 'workspace/hooks/node_modules/many');
    mkdirSync(many, { recursive: true });
    for (let count = 0; count <= MAX_ENTRIES; count += 1) writeFileSync(join(many, `${count}.js`), '');
    expect(await runMigration(folder)).toMatchObject({ code: 0 });
  });

  it('has more files in one bundle than there may be', async () => {
    const names = Array.from({ length: MAX_SOURCES + 1 }, (_, count) => `./p/${count}`);
    const { folder } = await siteWith({
      'workspace/hooks/a.js': names.map((name) => `require('${name}');`).join('\n'),
      ...Object.fromEntries(names.map((name) => [`workspace/hooks/${name}.js`, ''])),
    });
    const run = await runMigration(folder);
    expect(run.code).toBe(1);
    expect(run.line('workspace/hooks/a.js')).toContain(`there are more than ${MAX_SOURCES} files in it`);
  });

  it('has more bytes in one bundle than there may be', async () => {
    const text = `// ${'x'.repeat(1_000_000)}`;
    const names = Array.from({ length: 1 + MAX_SOURCE_BYTES / 1_000_000 }, (_, count) => `./p/${count}`);
    const { folder } = await siteWith({
      'workspace/hooks/a.js': names.map((name) => `require('${name}');`).join('\n'),
      ...Object.fromEntries(names.map((name) => [`workspace/hooks/${name}.js`, text])),
    });
    const run = await runMigration(folder);
    expect(run.code).toBe(1);
    expect(run.line('workspace/hooks/a.js')).toContain(`its files have more than ${MAX_SOURCE_BYTES} bytes`);
  });
});
