// What the kernel says of a host that was launched, with everything that this machine has and with less.
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/lib/files/package-files.ts';
import { exitSignal } from '../../../src/sandbox-supervisor/isolation/child-process.ts';
import { createLauncher, type HostProcess } from '../../../src/sandbox-supervisor/isolation/launcher.ts';
import { findSystemTools, type SystemTools } from '../../../src/sandbox-supervisor/isolation/system-tools.ts';
import { startChildrenWithoutCoverage } from '../../helpers/sandbox/process-coverage.ts';
import { isOpenToAll } from '../../helpers/sandbox/users.ts';

startChildrenWithoutCoverage();

const all = findSystemTools();
const { bwrap, ...withoutBwrap } = all;
const { setpriv, ...withoutBoth } = withoutBwrap;
const root = packageRoot();
const children: HostProcess[] = [];

for (const name of ['sh', 'env', 'setpriv', 'bwrap'] as const) {
  if (all[name] !== undefined) continue;
  const missing = `this machine has no ${name}: the layers that need it are not tested`;
  if (process.env['CI'] === 'true') throw new Error(missing);
  console.warn(missing);
}

const open = isOpenToAll();
if (!open)
  console.warn(
    '\n*** others cannot enter the folders above: hosts with users of their own are not tested ***\n',
  );

afterEach(async () => {
  for (const child of children.splice(0)) await end(child);
});

async function end({ process: spawned }: HostProcess) {
  if (spawned.exitCode !== null || spawned.signalCode !== null) return;
  spawned.kill('SIGKILL');
  await once(spawned, 'exit');
}

/** A host that is locked and hangs. */
async function launched(
  tools: SystemTools,
  jit = false,
  launcher = createLauncher({ root, tools }),
): Promise<HostProcess> {
  const child = await launcher.launch({ jit, memoryMb: 320, script: 'self-test.js' });
  children.push(child);
  child.socket.write(
    JSON.stringify({ test: 'loop', file: '/x', newFile: '/x', port: 1, socket: '/x', server: 1 }),
  );
  let said = '';
  while (!said.includes('"done"')) said += ((await once(child.socket, 'data')) as [Buffer])[0].toString();
  return child;
}

function proc(child: HostProcess, file: string): string {
  return readFileSync(`/proc/${child.pid()}/${file}`, 'utf8');
}

/** `Max data size` → `335544320`, soft and hard. */
function limitsOf(child: HostProcess): ReadonlyMap<string, string> {
  const lines = proc(child, 'limits').split('\n').slice(1);
  return new Map(
    lines.map((line) => [line.slice(0, 26).trim(), line.slice(26, 68).trim().replace(/\s+/g, ' ')]),
  );
}

function statusOf(child: HostProcess, name: string): string {
  return new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(proc(child, 'status'))?.[1] ?? '';
}

const MACHINES: readonly { readonly machine: string; readonly tools: SystemTools }[] = [
  { machine: 'all that there is', tools: all },
  { machine: 'no bubblewrap', tools: withoutBwrap },
  { machine: 'a shell only', tools: withoutBoth },
];

describe.runIf(process.platform === 'linux').each(MACHINES)('a host launched with $machine', ({ tools }) => {
  it('has the layers that are reported', async () => {
    const child = await launched(tools);
    expect(proc(child, 'environ')).toBe('PWD=/\0');
    expect(Object.fromEntries(limitsOf(child))).toMatchObject({
      'Max core file size': '0 0',
      'Max file size': '0 0',
      'Max open files': '64 64',
      'Max stack size': '1048576 1048576',
      'Max cpu time': '900 900',
      'Max data size': '335544320 335544320',
    });
    expect(readlinkSync(`/proc/${child.pid()}/cwd`)).toBe('/');
    // What may not be traced belongs to root, whoever runs it.
    expect(statSync(`/proc/${child.pid()}/environ`).uid).toBe(0);
    expect(statusOf(child, 'NoNewPrivs')).toBe('1');
    expect(statusOf(child, 'Seccomp')).toBe('2');
    expect(Number(statusOf(child, 'Seccomp_filters'))).toBe(tools.bwrap === undefined ? 1 : 2);
    expect(child.layers).toMatchObject({
      emptyEnvironment: true,
      jitless: true,
      limits: true,
      memoryLimit: true,
    });
  });

  it.runIf(open)('has its own user where the server is root, and no capabilities', async () => {
    const launcher = createLauncher({ root, tools });
    const one = await launched(tools, false, launcher);
    const other = await launched(tools, false, launcher);
    const users = [one, other].map((child) => Number(statusOf(child, 'Uid').split('\t')[0]));
    const isRoot = process.getuid?.() === 0;
    expect(one.layers['ownUser']).toBe(isRoot);
    expect(new Set(users).size).toBe(isRoot ? 2 : 1);
    expect(users).not.toContain(0);
    // Threads are counted by user: where others share it, a limit would count theirs.
    expect(limitsOf(one).get('Max processes') === '64 64').toBe(isRoot);
    expect(statusOf(one, 'Groups').trim()).toBe(isRoot ? '' : statusOf(one, 'Groups').trim());
    expect(Number.parseInt(statusOf(one, 'CapEff'), 16)).toBe(0);
  });

  it('has nothing open but its pipe', async () => {
    const child = await launched(tools);
    const target = (descriptor: number) => readlinkSync(`/proc/${child.pid()}/fd/${descriptor}`);
    expect([0, 1, 2].map(target)).toEqual(['/dev/null', '/dev/null', '/dev/null']);
    expect(target(3)).toMatch(/^socket:/);
    const others = readdirSync(`/proc/${child.pid()}/fd`)
      .map(Number)
      .filter((descriptor) => descriptor > 3);
    // Node wakes its own threads by these; no file, no socket, and each pipe has both of its ends in here.
    const pipes = others.map(target).filter((name) => !/^anon_inode:|^\/dev\/null$/.test(name));
    expect(pipes.filter((name) => !name.startsWith('pipe:'))).toEqual([]);
    for (const name of pipes) expect(pipes.filter((other) => other === name)).toHaveLength(2);
  });

  it('exits when it is killed, and the kill is told from a crash', async () => {
    const child = await launched(tools);
    const pid = child.pid();
    child.process.kill('SIGKILL');
    const [code, signal] = (await once(child.process, 'exit')) as [number | null, NodeJS.Signals | null];
    expect(exitSignal(code, signal)).toBe('SIGKILL');
    await expect.poll(() => stateOf(pid)).toBe('gone');
  });

  it('may have the just-in-time compiler, and then no memory limit', async () => {
    const child = await launched(tools, true);
    expect(child.layers).toMatchObject({ jitless: false, memoryLimit: false, limits: true });
    expect(limitsOf(child).get('Max data size')).toBe('unlimited unlimited');
    expect(statusOf(child, 'Seccomp')).toBe('2');
  });
});

function stateOf(pid: number | undefined): string {
  try {
    const state = /\) (.) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? '';
    return state === 'Z' || state === 'X' ? 'gone' : state;
  } catch {
    return 'gone';
  }
}

/** Processes that it has started itself, read in one piece. */
function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

describe.runIf(process.platform === 'linux' && bwrap !== undefined)(
  'a bwrap sandbox that is still being set up',
  () => {
    it('is killed as a whole', async () => {
      const launcher = createLauncher({ root, tools: all });
      const inside: number[] = [];
      for (let count = 0; count < 20; count++) {
        const child = await launcher.launch({ jit: false, memoryMb: 320 });
        const outer = child.process.pid ?? 0;
        let started = childrenOf(outer);
        while (started.length === 0) started = childrenOf(outer);
        inside.push(...started);
        const gone = once(child.process, 'exit');
        child.kill();
        await gone;
      }
      await expect.poll(() => inside.map(stateOf).filter((state) => state !== 'gone')).toEqual([]);
    });
  },
);

describe('the launcher', () => {
  it('reports namespaces and a start filter only under bubblewrap', async () => {
    const caged = await launched(all);
    expect(caged.layers['namespaces']).toBe(bwrap !== undefined);
    expect(caged.pid() === caged.process.pid).toBe(bwrap === undefined);
    const bare = await launched(withoutBoth);
    expect(bare.layers).toMatchObject({ namespaces: false, startFilter: false, diesWithServer: false });
    expect(bare.pid()).toBe(bare.process.pid);
    if (setpriv !== undefined) expect((await launched(withoutBwrap)).layers['diesWithServer']).toBe(true);
  });

  it('works without tools that fail', async () => {
    const child = await launched({ ...withoutBoth, bwrap: '/bin/false', setpriv: '/none/such' });
    expect(child.layers).toMatchObject({ namespaces: false, diesWithServer: false, limits: true });
  });

  it('works without any tool', async () => {
    const child = await launched({});
    expect(child.layers).toMatchObject({ limits: false, memoryLimit: false, emptyEnvironment: true });
    if (process.platform === 'linux') expect(proc(child, 'environ')).toBe('PWD=/\0');
  });

  it('rejects when there is nothing to launch, at each call', async () => {
    const launcher = createLauncher({ root: new URL('file:///none/such/') });
    for (let count = 0; count < 2; count++) {
      await expect(launcher.launch({ jit: false, memoryMb: 384 })).rejects.toThrow();
    }
  });
});
