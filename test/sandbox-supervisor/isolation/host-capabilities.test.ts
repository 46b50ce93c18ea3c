import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/lib/files/package-files.ts';
import {
  detectHostCapabilities,
  ulimitLetter,
} from '../../../src/sandbox-supervisor/isolation/host-capabilities.ts';
import { readSandboxFiles } from '../../../src/sandbox-supervisor/isolation/sandbox-files.ts';
import { findSystemTools, type SystemTools } from '../../../src/sandbox-supervisor/isolation/system-tools.ts';
import { isOpenToAll } from '../../helpers/nobody.ts';

const files = await readSandboxFiles(packageRoot());
const all = findSystemTools();
const find = (tools: SystemTools, memoryMb = 384) => detectHostCapabilities({ tools, files, memoryMb });

describe('what a machine offers', () => {
  it('is the strongest that works', async () => {
    const { tools, limits, userId } = await find(all);
    const ofThreads = new Set(['-p', '-u']);
    expect([...limits].filter((letter) => !ofThreads.has(letter)).sort()).toEqual([
      '-c',
      '-d',
      '-f',
      '-n',
      '-s',
      '-t',
    ]);
    expect([...limits].some((letter) => ofThreads.has(letter))).toBe(userId !== undefined);
    expect(tools.bwrap ?? tools.setpriv).toBe(all.bwrap ?? all.setpriv);
    expect(userId !== undefined).toBe(process.getuid?.() === 0 && isOpenToAll());
  });

  it('leaves out what is installed and does not work', async () => {
    const { tools } = await find({ ...all, bwrap: '/bin/false', setpriv: '/bin/false' });
    expect(tools).toEqual({ sh: all.sh, env: all.env });
  });

  it('leaves out what does not exist', async () => {
    const { tools, limits } = await find({ sh: '/none/such', bwrap: '/none/such' });
    expect(tools.bwrap).toBeUndefined();
    expect(limits.size).toBe(0);
  });

  it('leaves out limits that the kernel refuses', async () => {
    const { limits } = await find(all, -1);
    expect(limits.has('-d')).toBe(false);
    expect(limits.has('-c')).toBe(true);
  });

  it('is little without a shell', async () => {
    const { sh: _, ...tools } = all;
    expect(await find(tools)).toMatchObject({ tools: {}, limits: new Set() });
  });

  it('shows a host only Node, its libraries and the sandbox', async () => {
    const { visible } = await find({});
    expect(visible[0]).toBe(process.execPath);
    const others = visible.slice(1).filter((path) => path !== files.binding && path !== files.folder);
    expect(others.filter((path) => !/\.(?:so|dylib)/.test(path))).toEqual([]);
  });
});

describe('the letter of a limit', () => {
  it('is what it begins with', () => {
    expect(ulimitLetter('-d 393216')).toBe('-d');
  });
});
