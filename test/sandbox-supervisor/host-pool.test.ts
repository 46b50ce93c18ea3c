import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { FromHost } from '../../sandbox/protocol.ts';
import { createHostPool, type HostPoolDeps } from '../../src/sandbox-supervisor/host-pool.ts';
import { inspectionDomain } from '../../src/sandbox-supervisor/inspection-domain.ts';
import type { HostProcess } from '../../src/sandbox-supervisor/isolation/launcher.ts';
import { encodeFrame } from '../../src/sandbox-supervisor/protocol/frames.ts';
import type { Host } from '../../src/sandbox-supervisor/state.ts';
import { fakeQueue } from '../helpers/fake-host.ts';

const READY: FromHost = {
  t: 'ready',
  versions: { node: '26', v8: '14', isolatedVm: '7' },
  walls: { jitless: true },
};
const TURNS: FromHost = {
  ...{ t: 'turns', unit: 1, events: [], faults: [], back: [], idle: true, turnMs: 0, disposed: false },
};

/** A process and its pipe that do what the test says. */
function fakeChild() {
  const socket = Object.assign(new EventEmitter(), {
    closed: false,
    writableLength: 0,
    write: () => true,
    destroy: () => undefined,
  });
  const process = Object.assign(new EventEmitter(), {
    pid: 1,
    kill: () => queueMicrotask(() => process.emit('exit', null, 'SIGKILL')),
  });
  const kill = () => process.kill();
  const child = {
    process,
    socket,
    walls: { limits: true },
    pid: () => undefined,
    kill,
  } as unknown as HostProcess;
  const say = (message: FromHost) => socket.emit('data', encodeFrame(JSON.stringify(message), [], 0));
  const exit = (signal: string) => {
    socket.closed = true;
    process.emit('exit', null, signal);
  };
  return { child, say, exit };
}

function poolOf(options: Partial<HostPoolDeps> = {}) {
  const children: ReturnType<typeof fakeChild>[] = [];
  const falls: [Host, string][] = [];
  const asked: boolean[] = [];
  const state = { clock: 0, fails: false };
  const pool = createHostPool({
    launcher: {
      async launch({ jit }) {
        asked.push(jit);
        if (state.fails) throw new Error('no');
        const made = fakeChild();
        children.push(made);
        return made.child;
      },
    },
    memoryMb: 384,
    bounds: { busyHosts: 2, maxHosts: 4 },
    now: () => state.clock,
    admits: () => true,
    turns: () => null,
    inspected: () => false,
    ready: () => undefined,
    fell: (host, { limit, kind }) => falls.push([host, `${kind} ${limit}`]),
    changed: () => undefined,
    ...options,
  });
  const start = async (domain: string | null = 'default') => {
    const host = pool.start(domain, false);
    if (host === null) throw new Error('not started');
    await settled();
    const made = children.at(-1) as ReturnType<typeof fakeChild>;
    return { host, ...made };
  };
  const ready = async (domain: string | null = 'default') => {
    const started = await start(domain);
    started.say(READY);
    return started;
  };
  return { pool, children, falls, asked, state, start, ready };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const states = (hosts: readonly Host[]) => hosts.map(({ state }) => state);

describe('a pool', () => {
  it('takes a host for ready when it says so, once', async () => {
    const { pool, start, falls } = poolOf();
    expect(pool.seen(false)).toBeNull();
    const { host, say } = await start();
    expect(host.state).toBe('starting');
    say(READY);
    expect(host.state).toBe('ready');
    expect(pool.seen(false)).toMatchObject({
      versions: { node: '26' },
      walls: { jitless: true, limits: true },
    });
    expect(pool.seen(true)).toBeNull();
    say(READY);
    expect(falls).toEqual([[host, 'kill protocol']]);
  });

  it('starts no more than it may, and none after the end', async () => {
    const { pool } = poolOf();
    for (let n = 0; n < 4; n += 1) expect(pool.start('default', false)).not.toBeNull();
    expect(pool.start('default', false)).toBeNull();
    await pool.close();
    expect([pool.hosts, pool.start('default', false)]).toEqual([[], null]);
  });

  it('keeps one spare', async () => {
    const { pool, asked } = poolOf();
    pool.keepSpare();
    pool.keepSpare();
    expect([pool.hosts.length, pool.hosts[0]?.domain, asked]).toEqual([1, null, [false]]);
  });

  it('takes a free host of the domain, then the spare, then a new one', async () => {
    const { pool, ready } = poolOf();
    const { host: spare } = await ready(null);
    expect(pool.take('inspect')).toBe(spare);
    expect(spare.domain).toBe('inspect');
    expect(pool.take('inspect')).toBe(spare);
    spare.inspecting = true;
    const other = pool.take('inspect');
    expect([other === spare, other?.domain]).toEqual([false, 'inspect']);
  });

  it('makes room for another domain by what is idle', async () => {
    const { pool, ready, falls } = poolOf();
    const hosts = [await ready(), await ready(), await ready(), await ready()];
    expect(pool.start('other', false)).toBeNull();
    expect(falls.map(([host]) => host)).toEqual([hosts[0]?.host]);
  });

  it('tells why a host died', async () => {
    const { falls, ready, pool } = poolOf();
    const trapped = await ready();
    trapped.exit('SIGTRAP');
    const crashed = await ready();
    crashed.exit('SIGSEGV');
    const lost = await ready();
    lost.say({ t: 'lost', job: null });
    await settled();
    expect(falls).toEqual([
      [trapped.host, 'crash hostMemory'],
      [crashed.host, 'crash process'],
      [lost.host, 'crash hostMemory'],
    ]);
    expect(states(pool.hosts)).toEqual(pool.hosts.map(() => 'starting'));
  });

  it('ends a host that broke a limit, or lost an isolate', async () => {
    const { ready, falls } = poolOf({ turns: () => ({ limit: 'hostCalls', request: null }) });
    const { host, say } = await ready();
    say(TURNS);
    expect(falls).toEqual([[host, 'kill hostCalls']]);
    const mild = poolOf();
    const disposed = await mild.ready();
    disposed.say({ ...TURNS, disposed: true });
    expect(mild.falls).toEqual([[disposed.host, 'crash microtasks']]);
  });

  it('holds each host against the walls that are demanded, not only the first', async () => {
    const demanded = { selfLock: false };
    const { pool, ready, start, falls } = poolOf({
      admits: (walls) => !demanded.selfLock || walls['selfLock'] === true,
    });
    const first = await ready();
    expect(first.host.state).toBe('ready');
    demanded.selfLock = true;
    const weak = await start();
    weak.say(READY);
    expect([weak.host.state, falls]).toEqual(['dead', [[weak.host, 'kill minimumLevel']]]);
    expect(pool.seen(false)?.walls['selfLock']).toBeUndefined();
    expect(pool.start('default', false), 'not at once again').toBeNull();
  });

  it('stops trying for a moment when hosts do not come up, and says so after three', async () => {
    const { pool, state } = poolOf();
    state.fails = true;
    for (let n = 0; n < 3; n += 1) {
      expect(pool.isBroken()).toBe(false);
      expect(pool.start('default', false)).not.toBeNull();
      await settled();
      expect(pool.start('default', false)).toBeNull();
      state.clock += 500;
    }
    expect(pool.isBroken()).toBe(true);
    state.fails = false;
    const host = pool.start('default', false);
    expect(host?.state).toBe('starting');
  });
});

describe('tidying', () => {
  it('keeps a spare, once there is anything', async () => {
    const { pool, ready } = poolOf();
    pool.reap();
    expect(pool.hosts).toEqual([]);
    await ready();
    pool.reap();
    expect(pool.hosts.map(({ domain }) => domain)).toEqual(['default', null]);
  });

  it('sends away what is idle and more than may be busy, longest idle first', async () => {
    const { pool, ready, state, falls } = poolOf();
    const hosts = [await ready(), await ready(), await ready()];
    (hosts[0] as { host: Host }).host.lane = fakeQueue();
    pool.reap();
    expect(falls).toEqual([]);
    state.clock = 501;
    pool.reap();
    expect(falls.map(([host]) => host)).toEqual([hosts[1]?.host]);
  });

  it('sends away what has inspected code within a second, the last one too', async () => {
    const { pool, ready, state, falls } = poolOf();
    const [working, idle] = [await ready(inspectionDomain('alice')), await ready(inspectionDomain(null))];
    await ready(null);
    const { host: serving } = await ready();
    working.host.inspecting = true;
    pool.reap();
    expect(falls).toEqual([]);
    state.clock = 750;
    pool.reap();
    expect(falls).toEqual([[idle.host, 'kill retired']]);
    working.host.inspecting = false;
    working.host.idleSince = 750;
    state.clock = 1500;
    pool.reap();
    expect(falls.map(([host]) => host)).toEqual([idle.host, working.host]);
    expect(serving.state).toBe('ready');
  });

  it('takes no host for the code of one author that has seen that of another', async () => {
    const { pool, ready } = poolOf();
    const { host: spare } = await ready(null);
    expect(pool.take(inspectionDomain('alice'))).toBe(spare);
    expect(pool.take(inspectionDomain('alice'))).toBe(spare);
    expect(pool.take(inspectionDomain('bob'))).not.toBe(spare);
    expect(pool.take(inspectionDomain(null))).not.toBe(spare);
  });

  it('sends away what is old, once it is empty', async () => {
    const { pool, ready, state, falls } = poolOf();
    const { host } = await ready();
    host.lane = fakeQueue();
    state.clock = 600_001;
    pool.reap();
    expect([host.draining, falls]).toEqual([true, []]);
    host.lane = null;
    pool.reap();
    expect(falls.map(([fallen]) => fallen)).toEqual([host]);
  });

  it('gives up on what does not come up', async () => {
    const { pool, start, state } = poolOf();
    const { host } = await start();
    state.clock = 10_001;
    pool.reap();
    await settled();
    expect([host.state, pool.hosts.includes(host)]).toEqual(['dead', false]);
  });
});
