// Backups and restores that were cut off: what the next run takes up, and what it leaves alone.
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manifestId, readManifest } from '../../src/backup/manifest.ts';
import { restoreBackup } from '../../src/backup/restore-backup.ts';
import type { RestoreFolder } from '../../src/backup/restore-targets.ts';
import { backup as backupCommand } from '../../src/cli/backup.ts';
import { restore as restoreCommand } from '../../src/cli/restore.ts';
import { captureIo, createTestStreams } from '../helpers/server-process/console.ts';
import { filesBelow, temporaryFolder } from '../helpers/temp/folders.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

/** No process has it: it is above every limit of Linux. */
const NOBODY = 2 ** 22 + 1;

let workspace: Workspace;
let folder: string;

const write = (file: string, text: string) => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};

beforeEach(async () => {
  workspace = createWorkspace();
  for (const name of ['a', 'b', 'c']) write(join(workspace.path, `media/1.0/library/${name}.txt`), name);
  folder = join(await temporaryFolder(), 'backup');
});
afterEach(() => workspace.remove());

async function backup() {
  const io = captureIo(workspace.cwd);
  const code = await backupCommand({ folder }, io, createTestStreams());
  return { code, said: io.complained.join('\n') };
}

async function restore(cwd: string, overwrite = false) {
  const io = captureIo(cwd);
  const code = await restoreCommand({ folder, overwrite }, io, createTestStreams());
  return { code, said: io.complained.join('\n') };
}

const media = (name: string) => join(folder, `media/1.0/library/${name}`);

describe('an interrupted backup', () => {
  const interrupt = (marker: unknown) => {
    rmSync(join(folder, 'manifest.jsonl'));
    writeFileSync(join(folder, 'incomplete.json'), JSON.stringify(marker));
  };

  it('keeps the media files that are copied, copies the others, and removes what nobody has', async () => {
    await backup();
    interrupt({ pid: NOBODY, host: hostname() });
    rmSync(media('b.txt'));
    // Another file of the same size, at another time: the name was used again.
    writeFileSync(media('c.txt'), 'x');
    utimesSync(media('c.txt'), 1, 1);
    writeFileSync(media('.partial-0123'), 'rest');
    write(join(folder, 'workspace/old.json'), 'old');
    expect((await backup()).code).toBe(0);
    expect(filesBelow(folder)).toEqual([
      'manifest.jsonl',
      ...['a', 'b', 'c'].map((name) => `media/1.0/library/${name}.txt`),
      'workspace/config.json',
    ]);
    expect(readFileSync(media('c.txt'), 'utf8')).toBe('c');
  });

  it.each([{ pid: NOBODY, host: 'another machine' }, { pid: -1, host: hostname() }, 'no marker', null])(
    'goes on whoever made it: %j',
    async (marker) => {
      await backup();
      interrupt(marker);
      expect((await backup()).code).toBe(0);
    },
  );

  it('goes on where its marker was cut', async () => {
    await backup();
    interrupt(0);
    writeFileSync(join(folder, 'incomplete.json'), '{"pid":');
    expect((await backup()).code).toBe(0);
  });

  it('says so where its place is a file', async () => {
    writeFileSync(folder, 'mine');
    expect((await backup()).said).toMatch(/ENOTDIR|EEXIST/);
    expect(readFileSync(folder, 'utf8')).toBe('mine');
  });
});

describe('an interrupted restore', () => {
  let cwd: string;
  beforeEach(async () => {
    await backup();
    cwd = await temporaryFolder();
    const marker = { backup: manifestId(await readManifest(folder)), isEmptied: true };
    write(join(cwd, 'data/cloister.restore.json'), JSON.stringify(marker));
    write(join(cwd, 'workspace/.cloister-restore/collections/half.json'), '{');
    write(join(cwd, 'workspace/config.json'), '{}');
  });

  it('is completed: what it had moved is replaced, what it had staged goes', async () => {
    expect((await restore(cwd)).code).toBe(0);
    expect(filesBelow(join(cwd, 'workspace'))).toEqual([
      'config.json',
      ...['a', 'b', 'c'].map((name) => `media/1.0/library/${name}.txt`),
    ]);
    expect(readFileSync(join(cwd, 'workspace/config.json'), 'utf8')).toContain('queryMs');
    expect(filesBelow(join(cwd, 'data'))).toEqual(['cloister.lock']);
  });

  it('takes nothing for its own that the backup does not have', async () => {
    write(join(cwd, 'workspace/mine.json'), 'mine');
    expect((await restore(cwd)).said).toContain('is not empty: it has mine.json');
    expect(readFileSync(join(cwd, 'workspace/mine.json'), 'utf8')).toBe('mine');
  });

  it('keeps its marker while it fails', async () => {
    const targets: readonly RestoreFolder[] = [
      { area: 'workspace', root: join(cwd, 'workspace'), ignored: ['media'] },
      { area: 'database', root: join(cwd, 'data'), ignored: ['cloister.restore.json'] },
    ];
    const manifest = await readManifest(folder);
    writeFileSync(join(folder, 'workspace/config.json'), 'changed since it was verified');
    const marker = join(cwd, 'data/cloister.restore.json');
    const options = { folder, targets, marker, overwrite: false, now: () => 0 };
    const watch = { signal: new AbortController().signal, onProgress: () => undefined };
    await expect(restoreBackup(manifest, options, watch)).rejects.toThrow('is not what was backed up');
    expect(filesBelow(cwd)).toEqual(['data/cloister.restore.json', 'workspace/config.json']);
    rmSync(marker);
    rmSync(join(cwd, 'workspace/config.json'));
    await expect(restoreBackup(manifest, options, watch)).rejects.toThrow('is not what was backed up');
    expect(filesBelow(cwd)).toEqual([]);
  });
});

it('an export in a backup is imported before any file is in its place, and is no file afterwards', async () => {
  const cwd = await temporaryFolder();
  await backup();
  const { header } = await readManifest(folder);
  const file = { size: 2, sha256: '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a' };
  const files = ['database/documents.jsonl', 'workspace/a.json'].map((path) => ({ path, ...file }));
  for (const { path } of files) write(join(folder, path), '{}');
  const root = join(cwd, 'data');
  const targets: readonly RestoreFolder[] = [
    { area: 'workspace', root: join(cwd, 'workspace'), ignored: [] },
    { area: 'database', root, names: ['documents.jsonl'], ignored: ['marker'] },
  ];
  const seen: string[][] = [];
  const importDatabase = async (path: string) => {
    seen.push([readFileSync(path, 'utf8'), ...filesBelow(cwd)]);
  };
  const marker = join(root, 'marker');
  const options = { folder, targets, marker, overwrite: true, now: () => 0, importDatabase };
  const watch = { signal: new AbortController().signal, onProgress: () => undefined };
  expect(await restoreBackup({ header, files }, options, watch)).toEqual({
    files: 2,
    bytes: 4,
    replaced: [],
  });
  const staged = [
    'data/.cloister-restore/documents.jsonl',
    'data/marker',
    'workspace/.cloister-restore/a.json',
  ];
  expect(seen).toEqual([['{}', ...staged]]);
  expect(filesBelow(cwd)).toEqual(['workspace/a.json']);
});
