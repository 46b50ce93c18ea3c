// The folder that a migration writes: empty before, whole after, and gone where it failed.
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAX_SECONDS, migrateSite } from '../../src/migration/migrate-site.ts';
import { temporaryFolder } from '../helpers/temp/folders.ts';
import { contentsOf, layFiles, namesIn, runMigration, type SiteFiles } from './site-files.ts';

async function siteWith(files: SiteFiles) {
  const folder = await temporaryFolder();
  return { folder, site: layFiles(join(folder, 'site'), files) };
}

describe('the out folder of a migration', () => {
  const SITE = {
    'workspace/hooks/a.js': 'module.exports = (obj) => obj;',
    'config/config.development.json': { server: { port: 80 } },
  };

  it('has workspace, .env and REPORT.md; secrets are for the owner alone', async () => {
    const { folder } = await siteWith(SITE);
    const { out, code } = await runMigration(folder);
    expect(code).toBe(0);
    expect(namesIn(out)).toEqual(['.env', 'REPORT.md', 'workspace']);
    expect(statSync(join(out, '.env')).mode & 0o777).toBe(0o600);
    expect(statSync(join(out, 'workspace/config.json')).mode & 0o777).toBe(0o600);
  });

  it('gives the same report and files each time', async () => {
    const { folder } = await siteWith(SITE);
    const first = await runMigration(folder, { out: 'out' });
    const texts = contentsOf(first.out);
    renameSync(first.out, join(folder, 'before'));
    expect(contentsOf((await runMigration(folder, { out: 'out' })).out)).toEqual(texts);
  });

  it.each(['site', 'site/new', 'site/workspace', 'inner'])('is not in the site (%s)', async (out) => {
    const { folder, site } = await siteWith(SITE);
    symlinkSync(site, join(folder, 'inner'));
    const before = contentsOf(site);
    const run = await runMigration(folder, { out });
    expect(run).toMatchObject({
      code: 1,
      complained: [expect.stringContaining('the out folder is in the folder of the site')],
    });
    expect(contentsOf(site)).toEqual(before);
  });

  it('is not one that holds something, nor a file or a link', async () => {
    const { folder } = await siteWith(SITE);
    layFiles(folder, { 'full/mine.txt': 'mine', file: '' });
    mkdirSync(join(folder, 'empty'));
    symlinkSync('empty', join(folder, 'link'));
    for (const out of ['full', 'file', 'link']) {
      expect(await runMigration(folder, { out })).toMatchObject({
        code: 1,
        complained: [expect.stringContaining('name one that is empty or absent with --out')],
      });
    }
    expect(contentsOf(join(folder, 'full'))).toEqual({ 'mine.txt': 'mine' });
    expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true);
    expect(await runMigration(folder, { out: 'empty' })).toMatchObject({ code: 0 });
  });

  it('takes up what a migration left that was killed', async () => {
    const { folder } = await siteWith(SITE);
    layFiles(folder, { 'out/.partial/workspace/hooks/old.js': 'old' });
    const run = await runMigration(folder);
    expect(run.code).toBe(0);
    expect(namesIn(run.out)).toEqual(['.env', 'REPORT.md', 'workspace']);
    expect(existsSync(join(run.out, 'workspace/hooks/old.js'))).toBe(false);
  });

  it('is gone after a failure, and stays empty where it was there', async () => {
    const { folder } = await siteWith({ 'config/config.a.json': {}, 'config/config.b.json': {} });
    const message =
      'cloister: migrate: site: there are several environments, none of them `development`: choose with --env `a`, `b`';
    expect(await runMigration(folder)).toMatchObject({ code: 1, complained: [message] });
    expect(namesIn(folder)).toEqual(['site']);
    mkdirSync(join(folder, 'out'));
    expect(await runMigration(folder)).toMatchObject({ code: 1 });
    expect(namesIn(join(folder, 'out'))).toEqual([]);
  });

  it('is not made where there is no site', async () => {
    const { folder } = await siteWith(SITE);
    layFiles(folder, { file: '' });
    for (const site of ['gone', 'file']) {
      expect(await runMigration(folder, { site })).toMatchObject({
        code: 1,
        complained: [`cloister: migrate: ${site}: there is no such folder`],
      });
    }
    expect(namesIn(folder)).toEqual(['file', 'site']);
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('');
  });

  it('is gone where the time for all of it is over', async () => {
    const { folder, site } = await siteWith(SITE);
    let time = 0;
    const options = { site, out: join(folder, 'out'), shownOut: 'out', env: undefined };
    const migration = migrateSite({ ...options, now: () => (time += MAX_SECONDS * 1001) });
    await expect(migration).rejects.toThrow(`it takes longer than ${MAX_SECONDS} seconds`);
    expect(namesIn(folder)).toEqual(['site']);
  });
});
