import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { StartError } from '../../../src/errors/start-error.ts';
import { packageRoot } from '../../../src/lib/files/package-files.ts';
import { readSandboxFiles } from '../../../src/sandbox-supervisor/isolation/sandbox-files.ts';
import {
  bwrapArguments,
  detectAvailableTools,
  findSystemTools,
  type SystemTools,
  ulimitLetter,
  watchBwrap,
} from '../../../src/sandbox-supervisor/isolation/system-tools.ts';
import { isOpenToAll } from '../../helpers/sandbox/users.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';
import { createWorkspace } from '../../helpers/temp/workspace.ts';

const place = createWorkspace();
afterAll(place.remove);

describe('the system tools', () => {
  it('are executable, in the first folder that has them', () => {
    const bwrap = join(place.cwd, 'bwrap');
    writeFileSync(bwrap, '');
    writeFileSync(join(place.cwd, 'setpriv'), '');
    chmodSync(bwrap, 0o755);
    chmodSync(join(place.cwd, 'setpriv'), 0o644);
    expect(findSystemTools([join(place.cwd, 'none'), place.cwd])).toEqual({ bwrap });
  });

  it('include a shell on every machine but Windows', () => {
    expect(findSystemTools().sh).toMatch(/^\/.*\/sh$/);
  });

  it('are found regardless of PATH', () => {
    const { PATH } = process.env;
    process.env['PATH'] = place.cwd;
    try {
      expect(findSystemTools().sh).not.toContain(place.cwd);
    } finally {
      process.env['PATH'] = PATH;
    }
  });
});

describe('the bwrap command line', () => {
  const line = bwrapArguments({ files: ['/a', '/b c'], filter: 4, status: 5 });

  it('shares nothing with the machine, and dies with the server', () => {
    expect(line).toEqual(expect.arrayContaining(['--unshare-all', '--die-with-parent', '--new-session']));
    expect(line.join(' ')).toContain('--cap-drop ALL');
    expect(line).not.toContain('--share-net');
  });

  it('binds the given files read-only, and no others', () => {
    const bound = line.flatMap((word, index) =>
      word.includes('bind') ? [line.slice(index, index + 3)] : [],
    );
    expect(bound).toEqual([
      ['--ro-bind', '/a', '/a'],
      ['--ro-bind', '/b c', '/b c'],
    ]);
    expect(line).not.toContain('--proc');
    expect(line).not.toContain('--dev');
    expect(line.indexOf('--remount-ro')).toBeGreaterThan(line.lastIndexOf('--ro-bind'));
  });

  it('ends with --, so that no part of the command is taken for an option', () => {
    expect(line.at(-1)).toBe('--');
    expect(line.slice(-5)).toEqual(['--seccomp', '4', '--json-status-fd', '5', '--']);
  });

  it('has no filter where none is known', () => {
    expect(bwrapArguments({ files: [], filter: undefined, status: 5 })).not.toContain('--seccomp');
  });
});

const ended: (() => void)[] = [];

afterEach(() => {
  for (const end of ended.splice(0)) end();
});

/** A stand-in for bubblewrap: reads descriptor 3 to its end, says its pid on descriptor 4, and has one child. */
function standIn(says: string) {
  const script = `cat <&3 >/dev/null; sleep 30 & echo '${says}' | sed "s/PID/$$/" >&4; echo >&4; wait`;
  const child = spawn('/bin/sh', ['-c', script], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    detached: true,
  });
  ended.push(() => process.kill(-(child.pid ?? 0), 'SIGKILL'));
  const [filter, status] = (child.stdio as readonly unknown[]).slice(3) as [Socket, Socket];
  return { child, filter, status };
}

describe('watching bwrap', () => {
  it('sends the filter, and finds the host below the first process', async () => {
    const { child, filter, status } = standIn('{ "child-pid": PID, "net-namespace": 1 }');
    const pid = watchBwrap({ filter, status }, new Uint8Array(800));
    expect(pid()).toBeUndefined();
    await once(status, 'data');
    const found = pid();
    if (process.platform === 'linux') expect(found).toBeGreaterThan(child.pid ?? 0);
    expect(pid()).toBe(found);
  });

  it.each(['nonsense', '{ "child-pid": "x" }', '{ "child-pid": 99999999999999 }'])(
    'knows no host when bwrap prints %s',
    async (says) => {
      const { filter, status } = standIn(says);
      const pid = watchBwrap({ filter, status }, null);
      await once(status, 'data');
      expect(pid()).toBeUndefined();
    },
  );

  it('ignores a bwrap that exits before it has read the filter', async () => {
    const child = spawn('/bin/sh', ['-c', 'exit 1'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    });
    const [filter, status] = (child.stdio as readonly unknown[]).slice(3) as [Socket, Socket];
    const closed = new Promise((resolve) => filter.once('close', resolve));
    await once(child, 'exit');
    const pid = watchBwrap({ filter, status }, new Uint8Array(4_000_000));
    await closed;
    expect(pid()).toBeUndefined();
  });
});

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
