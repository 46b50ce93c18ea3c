import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StartError } from '../../../src/errors/start-error.ts';
import { packageRoot } from '../../../src/lib/files/package-files.ts';
import { readSandboxFiles } from '../../../src/sandbox-supervisor/isolation/sandbox-files.ts';
import {
  detectAvailableTools,
  findSystemTools,
  type SystemTools,
  ulimitLetter,
} from '../../../src/sandbox-supervisor/isolation/system-tools.ts';
import { isOpenToAll } from '../../helpers/sandbox/users.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

const files = await readSandboxFiles(packageRoot());
const all = findSystemTools();
const find = (tools: SystemTools, memoryMb = 384) => detectAvailableTools({ tools, files, memoryMb });

describe('the capabilities of a machine', () => {
  it('are the strongest combination that works', async () => {
    const { tools, limits, allocateUserId } = await find(all);
    const ofThreads = new Set(['-p', '-u']);
    expect([...limits].filter((letter) => !ofThreads.has(letter)).sort()).toEqual([
      '-c',
      '-d',
      '-f',
      '-n',
      '-s',
      '-t',
    ]);
    expect([...limits].some((letter) => ofThreads.has(letter))).toBe(allocateUserId !== undefined);
    expect(tools.bwrap ?? tools.setpriv).toBe(all.bwrap ?? all.setpriv);
    expect(allocateUserId !== undefined).toBe(process.getuid?.() === 0 && isOpenToAll());
  });

  it('exclude tools that are installed and do not work', async () => {
    const { tools } = await find({ ...all, bwrap: '/bin/false', setpriv: '/bin/false' });
    expect(tools).toEqual({ sh: all.sh, env: all.env });
  });

  it('exclude tools that do not exist', async () => {
    const { tools, limits } = await find({ sh: '/none/such', bwrap: '/none/such' });
    expect(tools.bwrap).toBeUndefined();
    expect(limits.size).toBe(0);
  });

  it('are not known where a tool fails because the system has nothing left: less would stay for good', async () => {
    const folder = await temporaryFolder();
    chmodSync(folder, 0o755);
    const program = join(folder, 'tool');
    const said = 'Creating new namespace failed: Resource temporarily unavailable';
    writeFileSync(program, `#!/bin/sh\necho 'bwrap: ${said}' >&2\nexit 1\n`, { mode: 0o755 });
    await expect(find({ ...all, bwrap: program })).rejects.toBeInstanceOf(StartError);
    await expect(find({ ...all, bwrap: '/bin/false', setpriv: program })).rejects.toBeInstanceOf(StartError);
  });

  it('exclude limits that the kernel rejects', async () => {
    const { limits } = await find(all, -1);
    expect(limits.has('-d')).toBe(false);
    expect(limits.has('-c')).toBe(true);
  });

  it('are none without a shell', async () => {
    const { sh: _, ...tools } = all;
    expect(await find(tools)).toMatchObject({ tools: {}, limits: new Set() });
  });

  it('make only Node, its libraries and the sandbox visible to a host', async () => {
    const { visiblePaths } = await find({});
    expect(visiblePaths[0]).toBe(process.execPath);
    const others = visiblePaths.slice(1).filter((path) => path !== files.binding && path !== files.folder);
    expect(others.filter((path) => !/\.(?:so|dylib)/.test(path))).toEqual([]);
  });
});

describe('the letter of a ulimit option', () => {
  it('is its first two characters', () => {
    expect(ulimitLetter('-d 393216')).toBe('-d');
  });
});
