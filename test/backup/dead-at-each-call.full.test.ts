// A process that ends at any of its calls to the file system: from that call on nothing reaches the disk, also no clean-up. What it
// leaves is completed by the same command, and what was there before is never lost.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backup as backupCommand } from '../../src/cli/backup.ts';
import { restore as restoreCommand } from '../../src/cli/restore.ts';
import { captureIo, createTestStreams } from '../helpers/server-process/console.ts';
import { filesBelow, temporaryFolder } from '../helpers/temp/folders.ts';

/** The calls that change something on the disk. */
const CALLS = ['mkdir', 'open', 'rename', 'rm', 'writeFile', 'chmod', 'utimes'] as const;
type Call = (...args: readonly unknown[]) => Promise<unknown>;
const system = fs as unknown as Record<(typeof CALLS)[number], Call>;

/** Runs `work` as a process that ends at its call of this number, from 0; returns whether it did before its work was done. */
async function dieAt(last: number, work: () => Promise<{ code: number }>): Promise<boolean> {
  const real = CALLS.map((name) => [name, system[name]] as const);
  let calls = 0;
  for (const [name, call] of real) {
    system[name] = async (...args) => {
      calls += 1;
      if (calls > last) throw new Error('the process is dead');
      return call(...args);
    };
  }
  syncBuiltinESMExports();
  try {
    // What fails after the last change, such as a flush of a folder, is no failure.
    return (await work().catch(() => ({ code: 1 }))).code !== 0;
  } finally {
    for (const [name, call] of real) system[name] = call;
    syncBuiltinESMExports();
  }
}

let root: string;
let folder: string;

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

async function backup(into = folder, site = join(root, 'site')) {
  const io = captureIo(site, {});
  const code = await backupCommand({ folder: into }, io, createTestStreams());
  return { code, said: io.complained.join('\n') };
}

async function restore(site: string, flags: { overwrite?: boolean; 'dry-run'?: boolean } = {}) {
  const io = captureIo(site, {});
  const code = await restoreCommand({ folder, ...flags }, io, createTestStreams());
  return { code, said: io.complained.join('\n') };
}

const isAside = (path: string) => path.includes('.replaced-');
/** What the site has, by path, without what belongs to the server. */
const contents = (site: string) =>
  Object.fromEntries(
    filesBelow(site)
      .filter((path) => !isAside(path) && !path.includes('cloister.lock'))
      .map((path) => [path, readFileSync(join(site, path), 'utf8')]),
  );

beforeEach(async () => {
  root = await temporaryFolder();
  folder = join(root, 'backup');
  write('site/workspace/config.json', '{}');
  write('site/workspace/collections/1.0/library/collection.a.json', '{"fields":{}}');
  write('site/workspace/media/1.0/library/a.txt', 'a');
  write('site/workspace/media/1.0/library/b.txt', 'b');
  write('site/data/audit.key', 'key');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it('a backup that ended at any call is completed by the same command, and can be restored', async () => {
  const site = join(root, 'elsewhere');
  mkdirSync(site);
  let calls = 0;
  for (; ; calls += 1) {
    rmSync(folder, { recursive: true, force: true });
    if (!(await dieAt(calls, () => backup()))) break;
    expect(await backup(), `after ${calls} calls`).toMatchObject({ code: 0 });
    expect(await restore(site, { 'dry-run': true }), `after ${calls} calls`).toMatchObject({ code: 0 });
  }
  expect(calls).toBeGreaterThan(20);
});

describe('a restore that ended at any call', () => {
  beforeEach(async () => {
    await backup();
  });

  it('is completed by the same command', async () => {
    let calls = 0;
    for (; ; calls += 1) {
      const site = join(root, `restored-${calls}`);
      mkdirSync(site);
      if (!(await dieAt(calls, () => restore(site)))) break;
      expect(await restore(site), `after ${calls} calls`).toEqual({ code: 0, said: expect.any(String) });
      expect(contents(site)).toEqual(contents(join(root, 'site')));
    }
    expect(calls).toBeGreaterThan(20);
  });

  it.each([true, false])(
    'with --overwrite is completed, and loses nothing of the site before, with --overwrite again: %s',
    async (overwrite) => {
      let calls = 0;
      for (; ; calls += 1) {
        const site = join(root, `restored-${calls}`);
        for (const path of ['workspace/config.json', 'workspace/old.js', 'workspace/media/1.0/library/a.txt'])
          write(`restored-${calls}/${path}`, `{"$schema":"the old ${path}"}`);
        write(`restored-${calls}/data/audit.key`, 'the old key');
        if (!(await dieAt(calls, () => restore(site, { overwrite: true })))) break;
        const { code } = await restore(site, { overwrite });
        if (overwrite) expect(code, `after ${calls} calls`).toBe(0);
        if (code === 0) expect(contents(site)).toEqual(contents(join(root, 'site')));
        const texts = filesBelow(site).map((path) => readFileSync(join(site, path), 'utf8'));
        expect(new Set(texts.filter((text) => text.includes('the old '))).size, `after ${calls} calls`).toBe(
          4,
        );
      }
      expect(calls).toBeGreaterThan(20);
    },
  );
});
