// What a kill leaves between two steps of a backup or restore: laid out here by hand, as the moments are too short to hit.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manifestId, readManifest } from '../../src/backup/manifest.ts';
import { restoreBackup } from '../../src/backup/restore-backup.ts';
import type { RestoreFolder } from '../../src/backup/restore-targets.ts';
import { backup as backupCommand } from '../../src/cli/backup.ts';
import { checkData } from '../../src/cli/check-data.ts';
import { restore as restoreCommand } from '../../src/cli/restore.ts';
import { captureIo, createTestStreams } from '../helpers/server-process/console.ts';
import { filesBelow, temporaryFolder } from '../helpers/temp/folders.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

let workspace: Workspace;
let folder: string;
let cwd: string;

const write = (file: string, text: string) => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};

async function backup(into = folder, site = workspace.cwd) {
  const io = captureIo(site);
  const code = await backupCommand({ folder: into }, io, createTestStreams());
  return { code, said: io.complained.join('\n') };
}

async function restore({ from = folder, overwrite = false, into = cwd } = {}) {
  const io = captureIo(into);
  const code = await restoreCommand({ folder: from, overwrite }, io, createTestStreams());
  return { code, said: io.complained.join('\n') };
}

beforeEach(async () => {
  workspace = createWorkspace();
  for (const name of ['a', 'b']) write(join(workspace.path, `media/1.0/library/${name}.txt`), name);
  folder = join(await temporaryFolder(), 'backup');
  cwd = await temporaryFolder();
  await backup();
});
afterEach(() => workspace.remove());

describe('a backup that was killed', () => {
  const mark = () => writeFileSync(join(folder, 'incomplete.json'), '{"pid":4194305,"host":"elsewhere"}');

  it('after its manifest was written is whole: it is restored, and made again by the same command', async () => {
    mark();
    expect((await restore()).code).toBe(0);
    expect((await backup()).code).toBe(0);
    expect(filesBelow(folder)).not.toContain('incomplete.json');
  });

  it.each(['.partial-0123456789abcdef', 'manifest.jsonl.new'])(
    'while %s was written can be restored once it is complete',
    async (rest) => {
      rmSync(join(folder, 'manifest.jsonl'));
      mark();
      writeFileSync(join(folder, rest), 'rest');
      expect((await backup()).code).toBe(0);
      expect(filesBelow(folder)).not.toContain(rest);
      expect(await restore()).toMatchObject({ code: 0 });
    },
  );

  it('is not gone on with while something else lies in its folder, which no restore would take', async () => {
    rmSync(join(folder, 'manifest.jsonl'));
    mark();
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    expect(await backup()).toMatchObject({ code: 1, said: expect.stringContaining('has notes.txt') });
    expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toBe('mine');
  });
});

describe('a restore that was killed', () => {
  const marker = () => join(cwd, 'data/cloister.restore.json');
  const mark = async (value: object) => {
    const whole = { backup: manifestId(await readManifest(folder)), ...value };
    write(marker(), JSON.stringify(whole));
  };

  it('before the folders were emptied is not completed without --overwrite, which puts aside what was there', async () => {
    write(join(cwd, 'workspace/media/1.0/library/a.txt'), 'not to be lost');
    await mark({ isEmptied: false });
    expect(await restore()).toMatchObject({ code: 1, said: expect.stringContaining('is not empty') });
    expect(readFileSync(join(cwd, 'workspace/media/1.0/library/a.txt'), 'utf8')).toBe('not to be lost');
    expect((await restore({ overwrite: true })).code).toBe(0);
    const kept = filesBelow(join(cwd, 'workspace/media')).filter((name) => name.startsWith('.replaced-'));
    expect(kept.map((name) => readFileSync(join(cwd, 'workspace/media', name), 'utf8'))).toEqual([
      'not to be lost',
    ]);
  });

  it.each([{ isEmptied: true, backup: 'f'.repeat(64) }, { backup: undefined }, { isEmptied: 'yes' }])(
    'is no reason to mix another backup into what it moved: %j',
    async (value) => {
      write(join(cwd, 'workspace/media/1.0/library/of-the-other.txt'), 'other');
      await mark(value);
      expect(await restore()).toMatchObject({ code: 1, said: expect.stringContaining('is not empty') });
      expect(filesBelow(join(cwd, 'workspace'))).toEqual(['media/1.0/library/of-the-other.txt']);
      expect(JSON.parse(readFileSync(marker(), 'utf8'))).not.toHaveProperty('since');
    },
  );

  it('whose marker was cut is completed where the folders are empty', async () => {
    write(marker(), '{"backup":');
    expect((await restore()).code).toBe(0);
  });

  it('has a configuration at any time: without one, commands would look for the data elsewhere', async () => {
    cpSync(workspace.path, join(cwd, 'workspace'), { recursive: true });
    const targets: readonly RestoreFolder[] = [
      { area: 'workspace', root: join(cwd, 'workspace'), configFile: 'config.json', ignored: ['media'] },
      { area: 'database', root: join(cwd, 'data'), ignored: ['cloister.restore.json'] },
    ];
    // What stands where the second folder's contents would go ends the restore between the two.
    write(join(cwd, 'data/.replaced-19700101000000000'), '');
    write(join(cwd, 'data/cloister.db'), '');
    const options = { folder, targets, marker: marker(), overwrite: true, now: () => 0 };
    const watch = { signal: new AbortController().signal, onProgress: () => undefined };
    await expect(restoreBackup(await readManifest(folder), options, watch)).rejects.toThrow('EEXIST');
    expect(readFileSync(marker(), 'utf8')).toContain('"isEmptied":false');
    for (const name of ['config.json', '.replaced-19700101000000000/config.json'])
      expect(filesBelow(join(cwd, 'workspace'))).toContain(name);
  });

  it('keeps `check --data` from the data, as all other commands', async () => {
    await mark({ isEmptied: true });
    await expect(checkData({ data: true, repair: true }, captureIo(cwd))).rejects.toThrow(
      'run `cloister restore` again',
    );
  });
});
