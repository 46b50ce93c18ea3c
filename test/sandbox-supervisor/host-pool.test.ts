import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { FromHost } from '../../sandbox/protocol.ts';
import { type Host, inspectionDomain } from '../../src/sandbox-supervisor/host.ts';
import { encodeFrame } from '../../src/sandbox-supervisor/host-connection.ts';
import { exitCauseOfLoss } from '../../src/sandbox-supervisor/host-exit.ts';
import { createHostPool, type HostPoolOptions } from '../../src/sandbox-supervisor/host-pool.ts';
import type { HostProcess } from '../../src/sandbox-supervisor/isolation/launcher.ts';
import { type FakeInvocation, sendNew } from '../helpers/sandbox/sandbox.ts';

const READY: FromHost = {
  t: 'ready',
  versions: { node: '26', v8: '14', isolatedVm: '7' },
  layers: { jitless: true },
};
const RESULTS: FromHost = {
  t: 'results',
  moduleNumber: 1,
  events: [],
  errors: [],
  returned: [],
  idle: true,
  sliceMs: 0,
  cpuMs: 0,
  heapBytes: 0,
  disposed: false,
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
  const layers = { limits: true };
  const child = { process, socket, layers, pid: () => undefined, kill } as unknown as HostProcess;
  const say = (message: FromHost) => socket.emit('data', encodeFrame(JSON.stringify(message), [], 0));
  const exit = (signal: string) => {
    socket.closed = true;
    process.emit('exit', null, signal);
  };
  return { child, say, exit };
}

function poolOf(options: Partial<HostPoolOptions> = {}) {
  const children: ReturnType<typeof fakeChild>[] = [];
  const exits: [Host, string][] = [];
  const events: string[] = [];
  const launched: boolean[] = [];
  const state = { clock: 0, fails: false };
  const pool = createHostPool({
    launcher: {
      async launch({ jit }) {
        launched.push(jit);
        if (state.fails) throw new Error('no');
        const made = fakeChild();
        children.push(made);
        return made.child;
      },
    },
    memoryMb: 384,
    busyHosts: 2,
    maxHosts: 4,
    now: () => state.clock,
    accepts: () => true,
    ...options,
  });
  pool.listen({
    onMessage(host, message) {
      if (message.t === 'ready') return pool.becomeReady(host, message);
      if (message.t === 'lost') pool.kill(host, exitCauseOfLoss(host, message.number));
      else events.push(message.t);
      return true;
    },
    onReady: () => events.push('ready'),
    onExit(host, { limit, kind }) {
      exits.push([host, `${kind} ${limit}`]);
      events.push('exit');
    },
    onChange: () => events.push('change'),
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
  return { pool, children, exits, events, launched, state, start, ready };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const states = (hosts: readonly Host[]) => hosts.map(({ state }) => state);

/** Occupies a host until the returned function is called. */
function occupy(host: Host, now = 0) {
  const [invocation] = sendNew(host, 1) as [FakeInvocation];
  return () => {
    host.frames.complete();
    invocation.settle({ kind: 'result', json: '1' });
    host.release(now);
  };
}

describe('the host pool', () => {
  it('takes a host for ready when it says so, once', async () => {
    const { pool, start, exits, events } = poolOf();
    expect(pool.report(false)).toBeNull();
    const { host, say } = await start();
    expect(host.state).toBe('starting');
    say(READY);
    expect([host.state, events]).toEqual(['ready', ['ready', 'change']]);
    const report = { versions: { node: '26' }, layers: { jitless: true, limits: true } };
    expect(pool.report(false)).toMatchObject(report);
    expect(pool.report(true)).toBeNull();
    say(READY);
    expect(exits).toEqual([[host, 'kill protocol']]);
  });

  it('passes on the results and inspections of a host', async () => {
    const { ready, events } = poolOf();
    const { say } = await ready();
    events.length = 0;
    say(RESULTS);
    const inspection = { ok: false, code: 'ENDPOINT_LOAD', message: '', line: null, column: null } as const;
    say({ t: 'inspected', id: 1, inspection });
    expect(events).toEqual(['results', 'inspected']);
  });

  it('reads nothing more from a host that was killed', async () => {
    const { pool, ready, events } = poolOf();
    const { host, say } = await ready();
    pool.kill(host, { code: 'ENDPOINT_CRASHED', kind: 'kill', limit: 'test', message: '' });
    events.length = 0;
    say(RESULTS);
    expect(events).toEqual([]);
  });

  it('starts no more hosts than it may, and none after it was closed', async () => {
    const { pool } = poolOf();
    for (let n = 0; n < 4; n += 1) expect(pool.start('default', false)).not.toBeNull();
    expect(pool.start('default', false)).toBeNull();
    await pool.close();
    expect([pool.hosts, pool.start('default', false)]).toEqual([[], null]);
  });

  it('keeps one spare host', async () => {
    const { pool, launched } = poolOf();
    pool.keepSpare();
    pool.keepSpare();
    expect([pool.hosts.length, pool.hosts[0]?.domain, launched]).toEqual([1, null, [false]]);
  });

  it('finds an idle host of the domain, else the spare, else starts one', async () => {
    const { pool, ready } = poolOf();
    const { host: spare } = await ready(null);
    expect(pool.acquire('inspect')).toBe(spare);
    expect(spare.domain).toBe('inspect');
    expect(pool.acquire('inspect')).toBe(spare);
    occupy(spare);
    const other = pool.acquire('inspect');
    expect([other === spare, other?.domain]).toEqual([false, 'inspect']);
  });

  it('evicts the host that has been idle for longest to make space for another domain', async () => {
    const { pool, ready, exits } = poolOf();
    const hosts = [await ready(), await ready(), await ready(), await ready()];
    expect(pool.start('other', false)).toBeNull();
    expect(exits.map(([host]) => host)).toEqual([hosts[0]?.host]);
  });

  it('emits why a host exited, and starts a spare', async () => {
    const { exits, ready, pool } = poolOf();
    const trapped = await ready();
    trapped.exit('SIGTRAP');
    const crashed = await ready();
    crashed.exit('SIGSEGV');
    const lost = await ready();
    lost.say({ t: 'lost', number: null });
    await settled();
    expect(exits).toEqual([
      [trapped.host, 'crash hostMemory'],
      [crashed.host, 'crash process'],
      [lost.host, 'crash hostMemory'],
    ]);
    expect(states(pool.hosts)).toEqual(pool.hosts.map(() => 'starting'));
  });

  it('checks the isolation layers of each host, not only of the first', async () => {
    const demanded = { selfLock: false };
    const { pool, ready, start, exits } = poolOf({
      accepts: (layers) => !demanded.selfLock || layers['selfLock'] === true,
    });
    const first = await ready();
    expect(first.host.state).toBe('ready');
    demanded.selfLock = true;
    const weak = await start();
    weak.say(READY);
    expect([weak.host.state, exits]).toEqual(['dead', [[weak.host, 'kill minimumLevel']]]);
    expect(pool.report(false)?.layers['selfLock']).toBeUndefined();
    expect(pool.start('default', false), 'not at once again').toBeNull();
  });

  it('pauses when hosts do not come up, and is broken after three', async () => {
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

describe('the reaping of hosts', () => {
  it('keeps a spare once there is any host', async () => {
    const { pool, ready } = poolOf();
    pool.reap();
    expect(pool.hosts).toEqual([]);
    await ready();
    pool.reap();
    expect(pool.hosts.map(({ domain }) => domain)).toEqual(['default', null]);
  });

  it('evicts idle hosts beyond those that may be busy, longest idle first', async () => {
    const { pool, ready, state, exits } = poolOf();
    const hosts = [await ready(), await ready(), await ready()];
    occupy((hosts[0] as { host: Host }).host);
    pool.reap();
    expect(exits).toEqual([]);
    state.clock = 501;
    pool.reap();
    expect(exits.map(([host]) => host)).toEqual([hosts[1]?.host]);
  });

  it('evicts a host that has inspected code within a second, the last one too', async () => {
    const { pool, ready, state, exits } = poolOf();
    const [working, idle] = [await ready(inspectionDomain('alice')), await ready(inspectionDomain(null))];
    await ready(null);
    const { host: serving } = await ready();
    working.host.sendInspection({ t: 'inspect', id: 1, kind: 'endpoint', loadMs: 1, heapMb: 1 }, '');
    pool.reap();
    expect(exits).toEqual([]);
    state.clock = 750;
    pool.reap();
    expect(exits).toEqual([[idle.host, 'kill retired']]);
    working.host.endInspection(750);
    state.clock = 1500;
    pool.reap();
    expect(exits.map(([host]) => host)).toEqual([idle.host, working.host]);
    expect(serving.state).toBe('ready');
  });

  it('leaves no host for the code of one author that has seen that of another', async () => {
    const { pool, ready } = poolOf();
    const { host: spare } = await ready(null);
    for (const _ of [1, 2]) expect(pool.acquire(inspectionDomain('alice'))).toBe(spare);
    expect(pool.acquire(inspectionDomain('bob'))).not.toBe(spare);
    expect(pool.acquire(inspectionDomain(null))).not.toBe(spare);
  });

  it('evicts an old host once it is idle', async () => {
    const { pool, ready, state, exits } = poolOf();
    const { host } = await ready();
    const leave = occupy(host);
    state.clock = 600_001;
    pool.reap();
    expect([host.isDraining, exits]).toEqual([true, []]);
    leave();
    pool.reap();
    expect(exits.map(([exited]) => exited)).toEqual([host]);
  });

  it('kills a host that does not come up', async () => {
    const { pool, start, state } = poolOf();
    const { host } = await start();
    state.clock = 10_001;
    pool.reap();
    await settled();
    expect([host.state, pool.hosts.includes(host)]).toEqual(['dead', false]);
  });
});
