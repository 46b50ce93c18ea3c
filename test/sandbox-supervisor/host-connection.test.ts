import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { connectHost, encodeFrame } from '../../src/sandbox-supervisor/host-connection.ts';
import type { HostProcess } from '../../src/sandbox-supervisor/isolation/launcher.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A process that runs a script with the pipe as `pipe`, in place of a host. */
function childOf(script: string): HostProcess {
  const text = `const pipe = new (require('node:net').Socket)({ fd: 3 }); ${script}`;
  const process = spawn(globalThis.process.execPath, ['-e', text], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  children.push(process);
  const kill = () => void process.kill('SIGKILL');
  return {
    process,
    socket: process.stdio[3] as Socket,
    layers: { limits: true },
    pid: () => process.pid,
    kill,
  };
}

const frameText = (header: object) => JSON.stringify([...encodeFrame(JSON.stringify(header), [], 0)]);
const LOST = { t: 'lost', number: null } as const;

function linkOf(starting: Promise<HostProcess>, accept = true) {
  const seen: string[] = [];
  let resolve: (() => void) | undefined;
  const gone = new Promise<void>((done) => {
    resolve = done;
  });
  const link = connectHost('this host', starting, {
    onMessage: (host, { t }) => {
      expect(host).toBe('this host');
      seen.push(t);
      return accept;
    },
    onViolation: () => seen.push('violation'),
    onGone: (_, signal) => {
      seen.push(`gone ${signal}`);
      resolve?.();
    },
  });
  return { link, seen, gone };
}

describe('the link to a host', () => {
  it('sends what was sent before it started, and hears what comes back', async () => {
    const script = `pipe.once('data', () => pipe.write(Buffer.from(${frameText(LOST)})))`;
    const { link, seen } = linkOf(Promise.resolve(childOf(script)));
    link.send({ t: 'drop', moduleNumber: 1 }, [], 0);
    expect(link.layers()).toEqual({});
    await expect.poll(() => seen).toEqual(['lost']);
    expect(link.pid()).toEqual(expect.any(Number));
    expect(link.layers()).toEqual({ limits: true });
  });

  it('says how it ended', async () => {
    const { seen, gone } = linkOf(Promise.resolve(childOf('process.kill(process.pid, "SIGSEGV")')));
    await gone;
    expect(seen).toEqual(['gone SIGSEGV']);
  });

  it('hears the last words before it says so', async () => {
    const script = `pipe.write(Buffer.from(${frameText(LOST)}), () => process.kill(process.pid, 'SIGKILL'))`;
    const { seen, gone } = linkOf(Promise.resolve(childOf(script)));
    await gone;
    expect(seen).toEqual(['lost', 'gone SIGKILL']);
  });

  it('kills, and hears nothing more', async () => {
    const script = `setInterval(() => pipe.write(Buffer.from(${frameText(LOST)})), 1)`;
    const { link, seen, gone } = linkOf(Promise.resolve(childOf(script)));
    await expect.poll(() => seen.includes('lost')).toBe(true);
    link.kill();
    const heard = seen.length;
    await gone;
    expect(seen.slice(heard)).toEqual(['gone SIGKILL']);
    link.send({ t: 'drop', moduleNumber: 1 }, [], 0);
  });

  it('kills what starts after it was given up', async () => {
    let start: ((child: HostProcess) => void) | undefined;
    const { link, seen, gone } = linkOf(new Promise((resolve) => (start = resolve)));
    link.kill();
    start?.(childOf('setInterval(() => undefined, 1000)'));
    await gone;
    expect(seen).toEqual(['gone SIGKILL']);
  });

  it.each([
    ['bytes that are no frame', 'pipe.write(Buffer.alloc(8, 255))', true],
    ['a frame that is no message', `pipe.write(Buffer.from(${frameText({ t: 'hello' })}))`, true],
    ['a message that has no place', `pipe.write(Buffer.from(${frameText(LOST)}))`, false],
  ])('kills on %s', async (_, script, accept) => {
    const { seen, gone } = linkOf(
      Promise.resolve(childOf(`${script}; setInterval(() => undefined, 1000)`)),
      accept,
    );
    await gone;
    expect(seen.filter((event) => event !== 'lost')).toEqual(['violation', 'gone SIGKILL']);
  });

  it.each(['end', 'log', 'error'])('kills on the header of a frame whose `%s` is too large', async (kind) => {
    const turns = {
      t: 'results',
      moduleNumber: 1,
      errors: [],
      returned: [],
      idle: true,
      sliceMs: 1,
      cpuMs: 1,
      heapBytes: 0,
      disposed: false,
    };
    const header = JSON.stringify({ ...turns, events: [[1, kind, 67_108_864, 0]] });
    const frame = encodeFrame(header, [], 0);
    frame.writeUInt32BE(67_108_864, 4);
    // Not one of the raw bytes is ever sent.
    const script = `pipe.write(Buffer.from(${JSON.stringify([...frame])})); setInterval(() => undefined, 1000)`;
    const { seen, gone } = linkOf(Promise.resolve(childOf(script)));
    await gone;
    expect(seen).toEqual(['violation', 'gone SIGKILL']);
  });

  it('kills what closes its pipe and lives on', async () => {
    const { seen, gone } = linkOf(
      Promise.resolve(childOf('pipe.destroy(); setInterval(() => undefined, 1000)')),
    );
    await gone;
    expect(seen).toEqual(['gone SIGKILL']);
  });

  it('says that nothing could be started', async () => {
    const failed = linkOf(Promise.reject(new Error('no')));
    await failed.gone;
    expect(failed.seen).toEqual(['gone undefined']);
    const process = spawn('/nonexistent/program', { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
    const erring = once(process, 'error');
    const missing = linkOf(
      Promise.resolve({
        process,
        socket: process.stdio[3] as Socket,
        layers: {},
        pid: () => undefined,
        kill: () => undefined,
      }),
    );
    await erring;
    await missing.gone;
    expect(missing.seen).toEqual(['gone undefined']);
  });
});
