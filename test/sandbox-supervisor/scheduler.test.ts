import { describe, expect, it } from 'vitest';
import { unassign } from '../../src/sandbox-supervisor/host.ts';
import { settle } from '../../src/sandbox-supervisor/invocation.ts';
import type { ModuleVersion } from '../../src/sandbox-supervisor/module-version.ts';
import type { InvocationResult } from '../../src/sandbox-supervisor/sandbox.ts';
import { createScheduler } from '../../src/sandbox-supervisor/scheduler.ts';
import type { Host } from '../../src/sandbox-supervisor/state.ts';
import { type FakeHost, fakeHost } from '../helpers/fake-host.ts';
import { createModuleVersion, invocationInput, type ModuleVersionOptions } from '../helpers/sandbox.ts';

const DONE = { kind: 'result', json: '1' } as const;

function poolOf({ busyHosts = 2, startable = 16 } = {}) {
  const hosts: FakeHost[] = [];
  let clock = 0;
  const state = { isBroken: false, spares: 0 };
  const numbers = new Map<ModuleVersion, number>();
  const bounds = { busyHosts, maxHosts: 16 };
  const dispatcher = createScheduler({
    bounds,
    jitDomains: new Set(['fast']),
    numberOf: (unit) => numbers.get(unit) ?? numbers.set(unit, numbers.size + 1).size,
    now: () => clock,
    pool: {
      hosts,
      start(domain, jit) {
        if (hosts.length >= startable) return null;
        const host = fakeHost({ domain, jit });
        hosts.push(host);
        return host;
      },
      keepSpare: () => {
        state.spares += 1;
      },
      isBroken: () => state.isBroken,
    },
  });
  /** Jobs that each host got, frame by frame. */
  const frames = () =>
    hosts.map(({ sent }) =>
      sent.flatMap(({ message }) => (message.t === 'run' ? [message.jobs.length] : [])),
    );
  const run = (unit: ModuleVersion, count = 1) =>
    Array.from({ length: count }, () => dispatcher.enqueue(invocationInput(unit)));
  return { hosts, state, dispatcher, frames, run, tick: (ms: number) => (clock += ms) };
}

const endpoint = (name: string, options: ModuleVersionOptions = {}) =>
  createModuleVersion('code', { id: `endpoint:1.0/${name}`, ...options });
/** Until what was scheduled has happened. */
const soon = () => new Promise((resolve) => setImmediate(resolve));

/** As if the host had answered its first frame. */
function answer(host: Host) {
  const [frame] = host.frames.splice(0, 1);
  for (const request of frame?.requests ?? []) settle(host, request, DONE);
  unassign(host, 0);
}

async function codes(runs: readonly Promise<InvocationResult>[]) {
  return (await Promise.all(runs)).map((outcome) =>
    outcome.kind === 'failure' ? outcome.code : outcome.kind,
  );
}

describe('a lane that answered a lot', () => {
  it('lets the others go first, then goes on', async () => {
    const { dispatcher, frames, run, tick } = poolOf();
    run(endpoint('loud'));
    await soon();
    const loud = dispatcher.queues.get('endpoint:1.0/loud');
    if (loud !== undefined) loud.restUntil = 100;
    run(endpoint('loud'));
    run(endpoint('quiet'));
    await soon();
    expect(frames()).toEqual([[1], [1]]);
    tick(100);
    dispatcher.schedule();
    await soon();
    expect(frames().flat()).toEqual([1, 1, 1]);
  });
});

describe('the dispatcher', () => {
  it('sends what came in together as one frame, and keeps a spare', async () => {
    const { frames, run, state, hosts } = poolOf();
    run(endpoint('a'), 5);
    expect(frames()).toEqual([]);
    await soon();
    expect([frames(), state.spares, hosts[0]?.domain]).toEqual([[[5]], 1, 'default']);
  });

  it('fills frames of sixteen, three in one host, before another is used', async () => {
    const { frames, run } = poolOf();
    run(endpoint('a'), 60);
    await soon();
    expect(frames()).toEqual([[16, 16, 16], [12]]);
  });

  it('keeps versions of one endpoint apart', async () => {
    const { hosts, run } = poolOf();
    run(endpoint('a'), 2);
    run(endpoint('a'), 3);
    await soon();
    expect(hosts[0]?.sent.map(({ message }) => [message.t, 'unit' in message && message.unit])).toEqual([
      ['load', 1],
      ['run', 1],
      ['load', 2],
      ['run', 2],
    ]);
  });

  it('sends large requests one by one', async () => {
    const { frames, dispatcher } = poolOf();
    const unit = endpoint('a');
    const body = 'x'.repeat(800_000);
    for (let n = 0; n < 2; n += 1) void dispatcher.enqueue(invocationInput(unit, { body }));
    await soon();
    expect(frames()).toEqual([[1, 1]]);
  });

  it('keeps domains apart, and knows which of them are compiled', async () => {
    const { hosts, run } = poolOf();
    run(endpoint('a', { trustDomain: 'one' }));
    run(endpoint('b', { trustDomain: 'fast' }));
    await soon();
    expect(hosts.map(({ domain, jit }) => [domain, jit])).toEqual([
      ['one', false],
      ['fast', true],
    ]);
  });

  it('takes lanes in turn', async () => {
    const { hosts, run, dispatcher } = poolOf({ busyHosts: 1, startable: 1 });
    const busiest = endpoint('a');
    run(busiest, 40);
    await soon();
    run(endpoint('b'), 20);
    run(endpoint('c'), 1);
    const order: string[] = [];
    for (let n = 0; n < 8; n += 1) {
      run(busiest, 8);
      const [host] = hosts as [FakeHost];
      order.push(host.lane?.id.at(-1) ?? '-');
      answer(host);
      dispatcher.schedule();
      await soon();
    }
    expect(order).toEqual(['a', 'a', 'a', 'b', 'c', 'a', 'b', 'a']);
  });

  it('lets a queue hold 32 requests, and turns the latest away', async () => {
    const { run, hosts, dispatcher } = poolOf({ busyHosts: 1, startable: 1 });
    const unit = endpoint('a');
    run(unit);
    await soon();
    Object.assign(dispatcher.queues.get(unit.id) ?? {}, { turnMs: 20 });
    const runs = run(unit, 40);
    const refused = runs.splice(32);
    expect(await codes(refused)).toEqual(refused.map(() => 'ENDPOINT_BUSY'));
    while ((hosts[0] as FakeHost).frames.length > 0) {
      answer(hosts[0] as FakeHost);
      dispatcher.schedule();
      await soon();
    }
    expect(await codes(runs)).toEqual(runs.map(() => 'result'));
  });

  it('lets requests that only pass through queue up', async () => {
    const { run, dispatcher } = poolOf({ busyHosts: 1, startable: 1 });
    const unit = endpoint('a');
    const refused = run(unit, 1100).slice(48 + 1024);
    expect(await codes(refused)).toEqual(refused.map(() => 'ENDPOINT_BUSY'));
    expect(dispatcher.queues.get(unit.id)?.queue).toHaveLength(1024);
  });

  it('counts requests of a minute', async () => {
    const { run } = poolOf();
    const runs = run(endpoint('a', { limits: { perMinute: 2 } }), 3);
    expect(await runs[2]).toMatchObject({ code: 'ENDPOINT_RATE_LIMITED' });
  });

  it('refuses all at once when no host can be started', async () => {
    const { run, state } = poolOf({ startable: 0 });
    state.isBroken = true;
    expect(await codes(run(endpoint('a'), 3))).toEqual([1, 2, 3].map(() => 'SANDBOX_DISABLED'));
  });

  it('puts requests back in front, in their order', async () => {
    const { run, hosts, dispatcher } = poolOf({ busyHosts: 1, startable: 1 });
    const unit = endpoint('a');
    run(unit, 3);
    await soon();
    const [host] = hosts as [FakeHost];
    const [first, ...rest] = [...host.requests.values()];
    run(unit, 1);
    dispatcher.requeue(host, rest);
    expect(dispatcher.isWaiting()).toBe(true);
    expect(dispatcher.queues.get(unit.id)?.queue.slice(0, 2)).toEqual(rest);
    expect([...host.requests.values()]).toEqual([first]);
  });

  it('lets one that runs alone share its host with nobody', async () => {
    const { run, hosts, dispatcher, frames } = poolOf();
    const unit = endpoint('a');
    run(unit, 3);
    await soon();
    const [host] = hosts as [FakeHost];
    const requests = [...host.requests.values()];
    for (const request of requests) request.alone = true;
    host.frames.length = 0;
    dispatcher.requeue(host, requests);
    await soon();
    expect(frames()).toEqual([[3, 1], [1]]);
    expect(hosts.every(({ exclusive }) => exclusive)).toBe(true);
  });

  it('does not count the time in which a host came up as waiting', async () => {
    const { run, dispatcher, hosts, tick } = poolOf({ busyHosts: 1, startable: 1 });
    const [first, second] = [endpoint('a'), endpoint('b')];
    run(first);
    run(second);
    await soon();
    tick(5000);
    dispatcher.onHostReady(hosts[0] as FakeHost);
    const waiting = dispatcher.queues.get(second.id)?.queue[0];
    expect([[...(hosts[0] as FakeHost).requests.values()][0]?.queuedAt, waiting?.queuedAt]).toEqual([
      5000, 5000,
    ]);
    tick(1000);
    dispatcher.onHostReady(fakeHost());
    expect(waiting?.queuedAt).toBe(5000);
  });

  it('gives up what waits', async () => {
    const { run, dispatcher } = poolOf({ startable: 0 });
    const runs = run(endpoint('a'), 2);
    dispatcher.rejectAll({ kind: 'failure', code: 'ENDPOINT_CRASHED', message: '' });
    expect(await codes(runs)).toEqual(['ENDPOINT_CRASHED', 'ENDPOINT_CRASHED']);
    expect(dispatcher.isWaiting()).toBe(false);
  });
});
