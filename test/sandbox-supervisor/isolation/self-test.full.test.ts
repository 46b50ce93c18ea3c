// The self-test in real hosts, with everything that this machine has and with less, as root and as an ordinary user.
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/lib/files/package-files.ts';
import { createLauncher, type Launcher } from '../../../src/sandbox-supervisor/isolation/launcher.ts';
import { readSandboxFiles } from '../../../src/sandbox-supervisor/isolation/sandbox-files.ts';
import { runSelfTest } from '../../../src/sandbox-supervisor/isolation/self-test.ts';
import type { SelfTestItem } from '../../../src/sandbox-supervisor/model/sandbox.ts';
import { startChildrenWithoutCoverage } from '../../helpers/sandbox/process-coverage.ts';
import { pathFor, type TestUser, testUsers } from '../../helpers/sandbox/users.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

startChildrenWithoutCoverage();

const SCRIPT = new URL('./self-test-run.ts', import.meta.url);

interface Result {
  readonly state: string;
  readonly items: readonly SelfTestItem[];
}

function run(tools: readonly string[], user: TestUser, env = {}): Result {
  const [program = '', ...args] = [...user.before, user.node, pathFor(user, SCRIPT), ...tools];
  const { stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', ...env },
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Result;
}

const MACHINES = [
  { machine: 'all that there is', tools: ['sh', 'env', 'setpriv', 'bwrap'], memory: true },
  { machine: 'no bubblewrap', tools: ['sh', 'env', 'setpriv'], memory: true },
  { machine: 'a shell only', tools: ['sh'], memory: true },
  { machine: 'nothing', tools: [], memory: false },
];

const USERS = testUsers();

const linux = process.platform === 'linux';

/** Starts plain processes, whatever is said of them. */
function unisolated(args: readonly string[], layers: Readonly<Record<string, boolean>> = {}): Launcher {
  return {
    async launch() {
      const child = spawn(process.execPath, args, {
        cwd: '/',
        env: { PWD: '/' },
        stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      });
      const socket = child.stdio[3] as Socket;
      return {
        process: child,
        socket,
        layers,
        pid: () => child.pid,
        kill: () => child.kill('SIGKILL'),
      };
    },
  };
}

describe.each(USERS)('the self-test as $user', (user) => {
  it.each(MACHINES)('passes with $machine, and lists what is not held', ({ tools, memory }) => {
    const { state, items } = run(tools, user);
    expect(items.filter(({ held, detail }) => !held && !detail.includes('no layer of this level'))).toEqual(
      [],
    );
    expect(state).toBe('passed');
    if (linux)
      expect(items.filter(({ held }) => !held).map(({ attempt }) => attempt)).toEqual(
        memory ? [] : ['take more memory than a host may'],
      );
    expect(items.length).toBe(linux ? 29 : 21);
  });
});

describe('the self-test', () => {
  it('leaves no files and processes behind', async () => {
    // A folder of its own: other workers test themselves in the common one.
    const folder = await temporaryFolder();
    expect(run(MACHINES[0]!.tools, USERS[0]!, { TMPDIR: folder }).state).toBe('passed');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('fails where no host can be started, and names no path', async () => {
    const launcher = createLauncher({ root: new URL('file:///none/such/') });
    const { state, items } = await runSelfTest(launcher, { jit: false, memoryMb: 384 });
    expect(state).toBe('failed');
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ attempt: 'start a host', held: false });
    expect(items[0]?.detail).not.toContain('/');
  });

  it('fails when no process can be started, or it exits at once', async () => {
    const none = { launch: () => Promise.reject(new Error('no process')) };
    expect((await runSelfTest(none, { jit: false, memoryMb: 384 })).state).toBe('failed');
    const { state, items } = await runSelfTest(unisolated(['--eval', '0']), { jit: false, memoryMb: 384 });
    expect(state).toBe('failed');
    expect(items.filter(({ held }) => held)).toEqual([]);
  });

  it('fails when a layer is reported that is missing', async () => {
    const files = await readSandboxFiles(packageRoot());
    const flags = [
      '--no-node-snapshot',
      '--no-experimental-ffi',
      '--js-nonextensible-applies-to-private',
      '--no-warnings',
    ];
    const claims = { namespaces: true, memoryLimit: true };
    const launcher = unisolated([...flags, files.script('self-test.js'), files.binding], claims);
    const { state, items, layers } = await runSelfTest(launcher, { jit: false, memoryMb: 128 });
    // An attempt got through that every level promises to stop: then none is taken for proven.
    expect([state, layers]).toEqual(['failed', {}]);
    const broken = items.filter(({ held, detail }) => !held && !detail.includes('no layer of this level'));
    expect(broken.map(({ attempt }) => attempt)).toEqual(
      expect.arrayContaining(['take more memory than a host may', 'send the server a signal']),
    );
    const open = items.filter(({ detail }) => detail === 'it was done; no layer of this level stops it');
    expect(open.map(({ attempt }) => attempt)).toEqual(
      expect.arrayContaining([
        'read a file',
        'write a file',
        'connect to a port of this machine',
        'start a program',
      ]),
    );
  });
});
