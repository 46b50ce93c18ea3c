// Backups that someone else has laid hands on: each is refused before anything is written.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { formatManifest } from '../../src/backup/manifest.ts';
import { restore as restoreCommand } from '../../src/cli/restore.ts';
import type { CommandFlags } from '../../src/cli/usage/parse-arguments.ts';
import { lockFolder } from '../../src/stores/sqlite-documents/data-file/data-folder.ts';
import { captureIo, createTestStreams } from '../helpers/server-process/console.ts';
import { filesBelow, temporaryFolder } from '../helpers/temp/folders.ts';

const HEADER = {
  format: 'cloister-backup',
  version: 1,
  cloister: '0.1.0',
  createdAt: '2026-01-01T00:00:00.000Z',
  engine: 'sqlite',
  separateDatabases: false,
} as const;

let folder: string;
let backup: string;
let site: string;

/** A backup of these files, whole. */
function lay(files: Readonly<Record<string, string>>, header: object = {}): void {
  const entries = Object.entries(files).map(([path, text]) => {
    mkdirSync(dirname(join(backup, path)), { recursive: true });
    writeFileSync(join(backup, path), text);
    return { path, size: text.length, sha256: createHash('sha256').update(text).digest('hex') };
  });
  writeFileSync(
    join(backup, 'manifest.jsonl'),
    formatManifest({ header: { ...HEADER, ...header }, files: entries }),
  );
}

async function restore(flags: CommandFlags = {}, host = createTestStreams()) {
  const io = captureIo(site, {});
  const code = await restoreCommand({ folder: backup, ...flags }, io, host);
  return { code, said: io.complained.join('\n') };
}

const WHOLE = {
  'workspace/collections/a.json': '{}',
  'media/1.0/library/a.txt': 'abc',
  'audit/audit.key': 'key',
};

beforeEach(async () => {
  folder = await temporaryFolder();
  backup = join(folder, 'backup');
  site = join(folder, 'site');
  mkdirSync(backup);
  mkdirSync(site);
});

it('a whole one is restored, readable by its owner only', async () => {
  lay(WHOLE);
  expect(await restore()).toEqual({ code: 0, said: expect.stringContaining('restored 3 files') });
  expect(filesBelow(site)).toEqual([
    'data/audit.key',
    'data/cloister.lock',
    'workspace/collections/a.json',
    'workspace/media/1.0/library/a.txt',
  ]);
});

const victim = () => join(folder, 'victim');
const inBackup = (path: string) => join(backup, path);

/** Puts something else in the place of a file. */
function replace(path: string, put: (place: string) => void): void {
  const place = inBackup(path);
  renameSync(place, victim());
  put(place);
}

describe('nothing is written for a backup', () => {
  it.each<readonly [string, () => void, RegExp]>([
    [
      'with a link in place of a file',
      () => replace('media/1.0/library/a.txt', (place) => symlinkSync(victim(), place)),
      /a\.txt is neither a file nor a folder/,
    ],
    [
      'with a link in place of a folder',
      () => replace('media/1.0', (place) => symlinkSync(victim(), place)),
      /media\/1\.0 is neither a file nor a folder/,
    ],
    [
      'with a pipe in place of a file',
      () => replace('audit/audit.key', (place) => spawnSync('mkfifo', [place])),
      /audit\.key is neither a file nor a folder/,
    ],
    [
      'whose manifest is a link',
      () => replace('manifest.jsonl', (place) => symlinkSync(victim(), place)),
      /ELOOP|symbolic link/,
    ],
    [
      'whose manifest is a folder',
      () => replace('manifest.jsonl', (place) => mkdirSync(place)),
      /manifest\.jsonl is not a file/,
    ],
    [
      'with a file that is longer than the manifest says',
      () => writeFileSync(inBackup('media/1.0/library/a.txt'), 'abcd'),
      /a\.txt has 4 bytes; the manifest says 3/,
    ],
    [
      'with other bytes of the same number',
      () => writeFileSync(inBackup('media/1.0/library/a.txt'), 'abd'),
      /a\.txt is not what was backed up/,
    ],
    [
      'with a file more',
      () => writeFileSync(inBackup('media/more'), ''),
      /media\/more is not in the manifest/,
    ],
    ['with a file less', () => rmSync(inBackup('audit/audit.key')), /audit\/audit\.key is missing/],
    [
      'whose manifest is longer than any text can be',
      () => truncateSync(inBackup('manifest.jsonl'), 2 ** 30),
      /the manifest has more than \d+ bytes/,
    ],
    ['without a manifest', () => rmSync(inBackup('manifest.jsonl')), /holds no complete backup/],
    [
      'that was cut',
      () =>
        writeFileSync(inBackup('manifest.jsonl'), readFileSync(inBackup('manifest.jsonl')).subarray(0, -9)),
      /the manifest was changed or cut/,
    ],
  ])('%s', async (_what, change, message) => {
    lay(WHOLE);
    change();
    const { code, said } = await restore();
    expect({ code, said }).toEqual({ code: 1, said: expect.stringMatching(message) });
    expect(filesBelow(site)).toEqual([]);
  });

  it.each<readonly [string, Readonly<Record<string, string>>, object, RegExp]>([
    ['with a file beside the audit key', { 'audit/x': '' }, {}, /audit\/x cannot be restored/],
    ['with two data files', { 'database/other.db': '' }, {}, /other\.db cannot be restored/],
    ['with a log of the data file', { 'database/cloister.db-wal': '' }, {}, /db-wal cannot be restored/],
    ['whose workspace reaches into the media folder', { 'workspace/media/x': '' }, {}, /folder of media/],
    ['with a file among those of a restore', { 'workspace/.cloister-restore/x': '' }, {}, /reserved/],
    ['with a staged upload', { 'media/.uploads/x': '' }, {}, /reserved/],
    ['of another database engine', {}, { engine: 'mongodb' }, /engine mongodb/],
    ['with databases of their own', {}, { separateDatabases: true }, /enableCollectionDatabases: true/],
    [
      'whose configuration names folders outside',
      { 'workspace/config.json': '{"database":{"sqlite":{"path":"/etc"}},"media":{"basePath":"/srv"}}' },
      {},
      /database\.sqlite\.path is \/etc in the backup.*media\.basePath is \/srv/,
    ],
  ])('%s', async (_what, files, header, message) => {
    lay({ ...WHOLE, ...files }, header);
    const { code, said } = await restore();
    expect({ code, said }).toEqual({ code: 1, said: expect.stringMatching(message) });
    expect(filesBelow(site)).toEqual([]);
  });
});

it('a hard link is a file as any other', async () => {
  lay(WHOLE);
  linkSync(inBackup('audit/audit.key'), victim());
  expect((await restore()).code).toBe(0);
});

describe('a folder that is not empty', () => {
  beforeEach(() => {
    lay(WHOLE);
    mkdirSync(join(site, 'workspace/collections'), { recursive: true });
    writeFileSync(join(site, 'workspace/collections/mine.json'), 'mine');
  });

  it('is refused, and nothing in it changes', async () => {
    const { code, said } = await restore();
    expect({ code, said }).toEqual({
      code: 1,
      said: expect.stringContaining('is not empty: it has collections'),
    });
    expect(filesBelow(site)).toEqual(['workspace/collections/mine.json']);
  });

  it('is put aside with --overwrite, so that nothing is lost', async () => {
    const { code, said } = await restore({ overwrite: true });
    expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining('what was there before is in') });
    const files = filesBelow(join(site, 'workspace'));
    expect(files).toContain('collections/a.json');
    expect(files).not.toContain('collections/mine.json');
    const aside = files.find((name) => name.endsWith('mine.json')) ?? '';
    expect(aside).toMatch(/^\.replaced-\d+\/collections\/mine\.json$/);
    expect(readFileSync(join(site, 'workspace', aside), 'utf8')).toBe('mine');
  });

  it('is left alone while a server has it', async () => {
    mkdirSync(join(site, 'data'));
    const lock = lockFolder(join(site, 'data'), Date.now);
    const { code, said } = await restore({ overwrite: true });
    lock.release();
    expect({ code, said }).toEqual({
      code: 1,
      said: expect.stringContaining('another server has the data folder'),
    });
    expect(filesBelow(join(site, 'workspace'))).toEqual(['collections/mine.json']);
  });

  it('is not written to by --dry-run', async () => {
    expect((await restore({ 'dry-run': true })).code).toBe(1);
    expect((await restore({ 'dry-run': true, overwrite: true })).code).toBe(0);
    expect(filesBelow(site)).toEqual(['workspace/collections/mine.json']);
  });
});

it('a link that was planted where files are staged is not followed', async () => {
  lay(WHOLE);
  const outside = join(folder, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'precious'), 'mine');
  mkdirSync(join(site, 'workspace'));
  symlinkSync(outside, join(site, 'workspace/.cloister-restore'));
  expect((await restore()).code).toBe(0);
  expect(filesBelow(outside)).toEqual(['precious']);
});
