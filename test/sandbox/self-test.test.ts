import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/files/package-files.ts';
import { withOnlyPipes } from '../../src/sandbox-supervisor/isolation/child-process.ts';
import { nodeFlags } from '../../src/sandbox-supervisor/isolation/host-privileges.ts';
import { readSandboxFiles } from '../../src/sandbox-supervisor/isolation/sandbox-files.ts';
import { startChildrenWithoutCoverage } from '../helpers/sandbox/process-coverage.ts';

startChildrenWithoutCoverage();

const files = await readSandboxFiles(packageRoot());
const ORDERS = { file: '/etc/passwd', newFile: '/none/such', port: 1, socket: '/none', server: process.pid };
const running: (() => void)[] = [];

afterEach(() => {
  for (const kill of running.splice(0)) kill();
});

/** What it says under the flags of a host, line by line. */
async function linesOf(
  test: string,
): Promise<{ said: Record<string, unknown>[]; pid: number | undefined; alive(): boolean }> {
  const flags = nodeFlags({ jit: false, readable: [files.binding, ...files.scripts] });
  const args = [...flags, files.script('self-test.js'), files.binding];
  const child = withOnlyPipes(1, (stdio) =>
    spawn(process.execPath, args, { cwd: '/', env: { PWD: '/' }, stdio }),
  );
  running.push(() => child.kill('SIGKILL'));
  const socket = child.stdio[3] as Socket;
  socket.write(JSON.stringify({ ...ORDERS, test, memoryMb: 64 }));
  const said: Record<string, unknown>[] = [];
  for await (const line of createInterface({ input: socket })) {
    said.push(JSON.parse(line));
    if (said.at(-1)?.['done'] === true) break;
  }
  return { said, pid: child.pid, alive: () => child.exitCode === null && child.signalCode === null };
}

describe('the script of the self-test', () => {
  it('says which layers the host has put up before it tries anything', async () => {
    const { said } = await linesOf('loop');
    expect(said[0]).toMatchObject({
      layers: { permissions: true },
      versions: { node: process.versions.node },
    });
    expect(said).toHaveLength(2);
  });

  it('tries everything, and gets nothing', async () => {
    const { said } = await linesOf('attempts');
    const got = said.filter(({ attempt }) => attempt !== undefined);
    expect(got.length).toBeGreaterThan(18);
    expect(got.filter((item) => item['got'] !== '')).toEqual([]);
  });

  it('tells how much memory it got', async () => {
    const { said } = await linesOf('memory');
    // No limit of memory was set here.
    expect(said).toContainEqual({ attempt: 'memory', got: 'took 80 MB' });
  });

  it('hangs in the end, so that it has to be killed', async () => {
    const { alive, pid } = await linesOf('loop');
    const used = () => Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[11]);
    const before = process.platform === 'linux' ? used() : 0;
    if (process.platform === 'linux') await expect.poll(used).toBeGreaterThan(before + 2);
    expect(alive()).toBe(true);
  });
});
