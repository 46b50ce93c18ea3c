// Backups and restores of sites whose folders lie inside of each other or behind links, and of what restores put aside.
import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { backup as backupCommand } from '../../src/cli/backup.ts';
import { restore as restoreCommand } from '../../src/cli/restore.ts';
import { ownerIssue } from '../../src/setup/restore.ts';
import { captureIo, createTestStreams } from '../helpers/server-process/console.ts';
import { filesBelow, temporaryFolder } from '../helpers/temp/folders.ts';

const MEDIA = 'workspace/public/media';
const NESTED = { media: { basePath: MEDIA }, database: { sqlite: { path: 'workspace/var/data' } } };

let cwd: string;
let folder: string;

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
};
const read = (path: string) => readFileSync(join(cwd, path), 'utf8');

async function backup(into = folder) {
  const io = captureIo(cwd, {});
  const code = await backupCommand({ folder: into }, io, createTestStreams());
  return { code, said: io.complained.join('\n') };
}

async function restore(flags: { overwrite?: boolean; from?: string } = {}, into = cwd) {
  const io = captureIo(into, {});
  const { overwrite = false, from = folder } = flags;
  const code = await restoreCommand({ folder: from, overwrite }, io, createTestStreams());
  return { code, said: io.complained.join('\n') };
}

beforeEach(async () => {
  cwd = join(await temporaryFolder(), 'site');
  folder = join(await temporaryFolder(), 'backup');
});

describe('folders two levels inside of the workspace', () => {
  beforeEach(async () => {
    write('workspace/config.json', JSON.stringify(NESTED));
    write(`${MEDIA}/1.0/a.txt`, 'a');
    write('workspace/var/data/audit.key', 'key');
    await backup();
  });

  it('are overwritten as others, each put aside inside of itself', async () => {
    write(`${MEDIA}/1.0/a.txt`, 'changed');
    write('workspace/public/other.txt', 'other');
    expect(await restore({ overwrite: true })).toMatchObject({ code: 0 });
    expect([read(`${MEDIA}/1.0/a.txt`), read('workspace/var/data/audit.key')]).toEqual(['a', 'key']);
    const aside = filesBelow(cwd).filter((name) => name.includes('.replaced-'));
    expect(aside.map((name) => name.replace(/\d{17}/, ''))).toEqual([
      'workspace/.replaced-/config.json',
      'workspace/.replaced-/public/other.txt',
      'workspace/public/media/.replaced-/1.0/a.txt',
      'workspace/var/data/.replaced-/audit.key',
    ]);
  });

  it('are empty where they have nothing else', async () => {
    const io = captureIo(cwd, {});
    renameSync(cwd, `${cwd}-old`);
    mkdirSync(join(cwd, MEDIA), { recursive: true });
    mkdirSync(join(cwd, 'workspace/var/data'), { recursive: true });
    const env = { CLOISTER_MEDIA_BASE_PATH: MEDIA, CLOISTER_DATABASE_SQLITE_PATH: 'workspace/var/data' };
    expect(await restoreCommand({ folder }, { ...io, env }, createTestStreams())).toBe(0);
    expect(read(`${MEDIA}/1.0/a.txt`)).toBe('a');
  });
});

it('a workspace behind a link is overwritten as any other', async () => {
  write('workspace/media/1.0/a.txt', 'a');
  await backup();
  renameSync(join(cwd, 'workspace'), join(cwd, 'elsewhere'));
  symlinkSync('elsewhere', join(cwd, 'workspace'));
  write('workspace/config.json', JSON.stringify({ media: { basePath: 'elsewhere/media' } }));
  const { code } = await restore({ overwrite: true });
  expect([code, read('elsewhere/media/1.0/a.txt')]).toEqual([0, 'a']);
});

it('a backup made after a restore with --overwrite can be restored: it has nothing that was put aside', async () => {
  write('workspace/media/1.0/a.txt', 'a');
  await backup();
  expect((await restore({ overwrite: true })).code).toBe(0);
  const second = `${folder}-2`;
  expect((await backup(second)).code).toBe(0);
  const elsewhere = await temporaryFolder();
  expect(await restore({ from: second }, elsewhere)).toMatchObject({ code: 0 });
  expect(filesBelow(join(elsewhere, 'workspace'))).toEqual(['media/1.0/a.txt']);
});

it.each(['.cache/variants/b', '.cache/responses/b', 'audit/b'])(
  'a backup is not made in %s, from where the server may remove it',
  async (inside) => {
    const settings = {
      cache: { path: '.cache/responses' },
      delivery: { cache: { path: '.cache/variants' } },
    };
    write('workspace/config.json', JSON.stringify({ ...settings, auth: { auditPath: 'audit' } }));
    expect(await backup(join(cwd, inside))).toMatchObject({
      code: 1,
      said: expect.stringContaining('lies in'),
    });
  },
);

it('a backup without a database says so: a wrong environment looks like this', async () => {
  write('workspace/a.txt', 'a');
  expect((await backup()).said).toContain(`there is no database in ${join(cwd, 'data')}`);
});

it('who may write everywhere is told to restore as the owner of the folders', () => {
  mkdirSync(cwd, { recursive: true });
  const root = 0;
  const isRoot = process.getuid?.() === root;
  if (isRoot) chownSync(cwd, 65534, 65534);
  expect(ownerIssue([join(cwd, 'workspace')], root)).toMatch(/belongs to the user \d+: restore as this user/);
  expect(ownerIssue([join(cwd, 'workspace')], 65534)).toBeUndefined();
  if (isRoot) chownSync(cwd, root, root);
  expect(ownerIssue([join(cwd, 'workspace')], isRoot ? root : undefined)).toBeUndefined();
});

describe('a disk that takes no more', () => {
  const limited = (kilobytes: number) => {
    const entry = join(import.meta.dirname, '../../src/cloister.js');
    const command = `ulimit -f ${kilobytes}; exec "$0" "$@"`;
    const args = ['-c', command, process.execPath, entry, 'backup', folder];
    return spawnSync('bash', args, { cwd, encoding: 'utf8', env: { PATH: process.env['PATH'] } });
  };

  it('is named with the file that found no room', () => {
    write('workspace/a.txt', 'a'.repeat(100_000));
    const { status, stderr } = limited(64);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/cloister: backup: .*backup\/workspace\/a\.txt: EFBIG/),
    ]);
  });

  it('is named where it is the database that has no room: it is not that of the server', () => {
    write('workspace/a.txt', 'a');
    const site = spawnSync(
      process.execPath,
      [join(import.meta.dirname, '../../src/cloister.js'), 'clients', 'add', 'app'],
      { cwd, encoding: 'utf8', env: {} },
    );
    expect(site.status).toBe(0);
    const { status, stderr } = limited(8);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/cloister\.db cannot be copied to .*backup\/database\/cloister\.db: /),
    ]);
  });
});

it('a place that takes no folder is refused with the reason of the system', async () => {
  write('workspace/a.txt', 'a');
  const { code, said } = await backup('/proc/backup');
  expect([code, said]).toEqual([1, expect.stringContaining("mkdir '/proc/backup'")]);
});
