// The backup command on a site without a server: what it takes, what it refuses, what it says.
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseManifest } from '../../src/backup/manifest.ts';
import { backup as backupCommand, formatBytes } from '../../src/cli/backup.ts';
import { restore } from '../../src/cli/restore.ts';
import { importSite } from '../../src/cli/transfer.ts';
import { captureIo, createTestStreams } from '../helpers/server-process/console.ts';
import { filesBelow, temporaryFolder } from '../helpers/temp/folders.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

let workspace: Workspace;
let folder: string;

beforeEach(async () => {
  workspace = createWorkspace({ '1.0/library/files': { fields: {}, settings: { type: 'media' } } });
  folder = join(await temporaryFolder(), 'backup');
});
afterEach(() => workspace.remove());

async function backup(into = folder, { terminal = false, env = {} } = {}) {
  const io = captureIo(workspace.cwd, env);
  const host = createTestStreams('', { terminal });
  const code = await backupCommand({ folder: into }, io, host);
  return { code, said: io.complained.join('\n'), drawn: host.drawn() };
}

const listed = () =>
  parseManifest(readFileSync(join(folder, 'manifest.jsonl'), 'utf8')).files.map(({ path }) => path);

const SPECIFICATION = 'workspace/collections/1.0/library/collection.files.json';

/** Records of a media collection, as another program may have written them. */
async function addRecords(...paths: readonly string[]): Promise<void> {
  const lines = paths.map((path, at) => {
    const document = { path, contentLength: 3, _id: at.toString(16).padStart(24, '0') };
    return `${JSON.stringify({ database: null, collection: 'files', document })}\n`;
  });
  const io = captureIo(workspace.cwd);
  expect(await importSite({ file: '-' }, io, createTestStreams(lines.join('')))).toBe(0);
}

describe('cloister backup', () => {
  it('takes a site that was never started', async () => {
    expect(await backup()).toMatchObject({ code: 0, said: expect.stringMatching(/^backed up 2 files, /m) });
    expect(listed()).toEqual([SPECIFICATION, 'workspace/config.json']);
  });

  it('shows a bar at a terminal', async () => {
    await addRecords('1.0/library/files/a.txt');
    expect((await backup(folder, { terminal: true })).drawn).toMatch(/0 files|files/);
  });

  it('takes files of links, and is not led in circles', async () => {
    const elsewhere = await temporaryFolder();
    writeFileSync(join(elsewhere, 'hook.js'), 'module.exports = {}');
    symlinkSync(elsewhere, join(workspace.path, 'hooks'));
    symlinkSync(workspace.path, join(workspace.path, 'circle'));
    symlinkSync('/dev/null', join(workspace.path, 'device'));
    expect((await backup()).code).toBe(0);
    expect(listed()).toEqual([SPECIFICATION, 'workspace/config.json', 'workspace/hooks/hook.js']);
  });

  it('leaves out what is no part of the workspace, and what restores put aside', async () => {
    for (const name of ['media/.uploads', '.replaced-20260101', '.cloister-restore']) {
      mkdirSync(join(workspace.path, name), { recursive: true });
      writeFileSync(join(workspace.path, name, 'x'), '');
    }
    await backup();
    expect(listed()).toEqual([SPECIFICATION, 'workspace/config.json']);
  });

  it.each(['workspace', 'workspace/media/x', 'data', 'workspace/collections/../x'])(
    'refuses %s, which it backs up itself',
    async (inside) => {
      const { code, said } = await backup(join(workspace.cwd, inside));
      expect({ code, said }).toEqual({
        code: 1,
        said: expect.stringMatching(/lies in .*: name another folder/),
      });
    },
  );

  it('refuses a folder that holds something else, and leaves it alone', async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'mine'), 'mine');
    expect(await backup()).toMatchObject({ code: 1, said: expect.stringContaining('is not empty') });
    expect(filesBelow(folder)).toEqual(['mine']);
  });

  it('refuses a folder in which another process makes a backup', async () => {
    mkdirSync(folder);
    // The process that started this one is there for as long as this one.
    const marker = { pid: process.ppid, host: (await import('node:os')).hostname() };
    writeFileSync(join(folder, 'incomplete.json'), JSON.stringify(marker));
    expect(await backup()).toMatchObject({ code: 1, said: expect.stringContaining('is making a backup') });
  });

  it('names files that the site has lost, and those that no file can be', async () => {
    await addRecords('1.0/library/files/lost.txt');
    expect(await backup()).toMatchObject({
      code: 0,
      said: expect.stringContaining(
        '1.0/library/files/lost.txt: the file of this record is lost, or was removed meanwhile',
      ),
    });
  });

  it('names the first twenty files that the site has lost, and counts the rest', async () => {
    await addRecords(...Array.from({ length: 23 }, (_, at) => `1.0/library/files/lost-${at}.txt`));
    const { code, said } = await backup();
    expect(code).toBe(0);
    expect(said.match(/the file of this record is lost/g)).toHaveLength(20);
    expect(said).toContain('3 more are missing');
  });

  it('reads no file outside of the media folder, whatever a record says', async () => {
    writeFileSync(join(workspace.cwd, 'secret.txt'), 'abc');
    await addRecords('../../../secret.txt');
    const { said } = await backup();
    expect(said).toContain('the file of this record is lost');
    expect(listed()).not.toContain('secret.txt');
  });

  it('says that files in a bucket are not in it', async () => {
    const env = {
      CLOISTER_MEDIA_STORAGE: 's3',
      AWS_S3_BUCKET_NAME: 'bucket',
      AWS_S3_REGION: 'r',
      CLOUD_S3_ACCESS_KEY: 'a',
      CLOUD_S3_SECRET_KEY: 's',
    };
    expect((await backup(folder, { env })).said).toContain('files in the bucket are not in the backup');
  });

  it('that was stopped goes on, and is restored as it was', async () => {
    await addRecords('1.0/library/files/a.txt');
    const file = join(workspace.path, 'media/1.0/library/files/a.txt');
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, 'abc');
    const host = createTestStreams();
    const io = captureIo(workspace.cwd);
    const stopped = backupCommand({ folder }, io, host);
    host.emit('SIGTERM');
    expect(await stopped).toBe(1);
    expect(io.complained).toEqual(['cloister: backup: stopped; the same command goes on']);
    expect((await backup()).code).toBe(0);
    const before = filesBelow(workspace.path);
    for (const name of ['workspace', 'data']) rmSync(join(workspace.cwd, name), { recursive: true });
    const told = captureIo(workspace.cwd);
    const terminal = createTestStreams('', { terminal: true });
    expect(await restore({ folder }, told, terminal)).toBe(0);
    expect(terminal.drawn()).toMatch(/% \| \d+ files/);
    expect(filesBelow(workspace.path)).toEqual(before);
    expect(readFileSync(file, 'utf8')).toBe('abc');
  });

  it('says that a restore was stopped, and leaves nothing of it', async () => {
    await backup();
    const cwd = await temporaryFolder();
    const host = createTestStreams();
    const io = captureIo(cwd);
    const err = (line: string) => {
      io.err(line);
      if (line.includes('is whole')) host.emit('SIGINT');
    };
    expect(await restore({ folder }, { ...io, err }, host)).toBe(1);
    expect(io.complained.at(-1)).toBe('cloister: restore: stopped; the same command completes it');
    expect(filesBelow(cwd)).toEqual(['data/cloister.lock']);
  });
});

it.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1500, '1.5 kB'],
  [12_345_678_901, '12.3 GB'],
])('%d bytes are shown as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
