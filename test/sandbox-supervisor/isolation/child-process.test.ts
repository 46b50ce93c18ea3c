import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createProcessGroups,
  exitSignal,
  killGroup,
} from '../../../src/sandbox-supervisor/isolation/child-process.ts';
import { ROOT } from '../../helpers/fixtures/source-tree.ts';

const MODULE = join(ROOT, 'src/sandbox-supervisor/isolation/child-process.ts');
/** Starts a process of its own, says its number, and waits. */
const NEST = 'sleep 600 & echo $!; wait';

function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe.runIf(process.platform === 'linux')('a process group', () => {
  it('is killed as a whole', async () => {
    const child = spawn('sh', ['-c', NEST], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
    const inner = Number(String((await once(child.stdout, 'data'))[0]));
    expect(isRunning(inner)).toBe(true);
    const exit = once(child, 'exit');
    killGroup(child);
    expect((await exit)[1]).toBe('SIGKILL');
    await expect.poll(() => isRunning(inner)).toBe(false);
    expect(() => killGroup(child)).not.toThrow();
  });

  it('is killed when the process exits that registered it', async () => {
    const script = `
      import { spawn } from 'node:child_process';
      import { createProcessGroups } from ${JSON.stringify(MODULE)};
      const child = spawn('sh', ['-c', ${JSON.stringify(NEST)}], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
      createProcessGroups().add(child);
      child.stdout.once('data', (said) => {
        process.stdout.write(child.pid + ' ' + said);
        process.exit(0);
      });`;
    const keeper = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = await once(keeper.stdout, 'data');
    const pids = String(said).trim().split(' ').map(Number);
    expect(pids).toHaveLength(2);
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  });

  it('is unregistered when it has ended', async () => {
    const before = process.listenerCount('exit');
    const keeper = createProcessGroups();
    const children = ['true', 'true'].map((program) => spawn(program, { detached: true, stdio: 'ignore' }));
    const ended = children.map((child) => once(child, 'exit'));
    for (const child of children) keeper.add(child);
    expect(process.listenerCount('exit')).toBe(before + 1);
    await Promise.all(ended);
    expect(process.listenerCount('exit')).toBe(before);
  });

  it('may have failed to start', async () => {
    const child = spawn('/none/such', { detached: true });
    createProcessGroups().add(child);
    killGroup(child);
    await once(child, 'error');
  });
});

describe('the signal that ended a host', () => {
  it('is the one that Node reports', () => {
    expect(exitSignal(null, 'SIGKILL')).toBe('SIGKILL');
  });

  it('is read from the exit code of bwrap or a shell', () => {
    expect(exitSignal(137, null)).toBe('SIGKILL');
    expect(exitSignal(134, null)).toBe('SIGABRT');
  });

  it('is none when the host exited by itself', () => {
    for (const code of [0, 1, 127, 128, 255, null]) expect(exitSignal(code, null)).toBeUndefined();
  });
});
