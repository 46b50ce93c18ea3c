import { describe, expect, it } from 'vitest';
import type { ModuleQueue } from '../../src/sandbox-supervisor/module-queue.ts';
import { maxInvocationsInHost } from '../../src/sandbox-supervisor/scheduler.ts';
import { createModuleVersion, type FakeHost } from '../helpers/sandbox/sandbox.ts';
import { answer, codes, dispatched, endpoint, RESULT, schedulerOf } from '../helpers/sandbox/scheduler.ts';

describe('the scheduler', () => {
  it('sends what came in together as one frame, and keeps a spare host', async () => {
    const { frames, run, state, hosts } = schedulerOf();
    run(endpoint('a'), 5);
    expect(frames()).toEqual([]);
    await dispatched();
    expect([frames(), state.spares, hosts[0]?.domain]).toEqual([[[5]], 1, 'default']);
  });

  it('sends frames of sixteen, three to one host, before it uses another', async () => {
    const { frames, run } = schedulerOf();
    run(endpoint('a'), 60);
    await dispatched();
    expect(frames()).toEqual([[16, 16, 16], [12]]);
  });

  it('keeps versions of one endpoint apart', async () => {
    const { hosts, run } = schedulerOf();
    run(endpoint('a'), 2);
    run(endpoint('a'), 3);
    await dispatched();
    expect(
      hosts[0]?.sent.map(({ message }) => [message.t, 'moduleNumber' in message && message.moduleNumber]),
    ).toEqual([
      ['load', 1],
      ['run', 1],
      ['load', 2],
      ['run', 2],
    ]);
  });

  it('keeps trust domains apart, and starts hosts with the compiler for those that are configured', async () => {
    const { hosts, run } = schedulerOf();
    run(endpoint('a', { trustDomain: 'one' }));
    run(endpoint('b', { trustDomain: 'fast' }));
    await dispatched();
    expect(hosts.map(({ domain, jit }) => [domain, jit])).toEqual([
      ['one', false],
      ['fast', true],
    ]);
  });

  it('takes modules in turn', async () => {
    const { hosts, run, scheduler } = schedulerOf({ busyHosts: 1, startable: 1 });
    const busiest = endpoint('a');
    run(busiest, 40);
    await dispatched();
    run(endpoint('b'), 20);
    run(endpoint('c'), 1);
    const order: string[] = [];
    for (let n = 0; n < 8; n += 1) {
      run(busiest, 8);
      const [host] = hosts as [FakeHost];
      order.push(host.queue?.moduleId.at(-1) ?? '-');
      answer(host);
      scheduler.schedule();
      await dispatched();
    }
    expect(order).toEqual(['a', 'a', 'a', 'b', 'c', 'a', 'b', 'a']);
  });

  it('lets other modules go first while one is throttled, then goes on', async () => {
    const { hosts, scheduler, frames, run, tick } = schedulerOf();
    run(endpoint('large'));
    await dispatched();
    hosts[0]?.queue?.recordResultBytes(6_553_600, 0);
    run(endpoint('large'));
    run(endpoint('small'));
    await dispatched();
    expect(frames()).toEqual([[1], [1]]);
    tick(100);
    scheduler.schedule();
    await dispatched();
    expect(frames().flat()).toEqual([1, 1, 1]);
  });

  it('lets 32 invocations wait, and rejects the newest', async () => {
    const { run, hosts, scheduler } = schedulerOf({ busyHosts: 1, startable: 1 });
    const moduleVersion = endpoint('a');
    run(moduleVersion);
    await dispatched();
    const [host] = hosts as [FakeHost];
    for (let n = 0; n < 200; n += 1) host.queue?.recordSlice(20, { isCold: false, now: 0 });
    const runs = run(moduleVersion, 40);
    const rejected = runs.splice(32);
    expect(await codes(rejected)).toEqual(rejected.map(() => 'ENDPOINT_BUSY'));
    while (host.frames.length > 0) {
      answer(host);
      scheduler.schedule();
      await dispatched();
    }
    expect(await codes(runs)).toEqual(runs.map(() => 'result'));
  });

  it('lets 1024 invocations wait of a module with short time slices and no guest calls', async () => {
    const { run, hosts } = schedulerOf({ busyHosts: 1, startable: 1 });
    const rejected = run(endpoint('a'), 1100).slice(48 + 1024);
    expect(await codes(rejected)).toEqual(rejected.map(() => 'ENDPOINT_BUSY'));
    expect(hosts[0]?.queue?.length).toBe(1024);
  });

  it('rejects all at once when no host can be started', async () => {
    const { run, state } = schedulerOf({ startable: 0 });
    state.isBroken = true;
    expect(await codes(run(endpoint('a'), 3))).toEqual([1, 2, 3].map(() => 'SANDBOX_DISABLED'));
  });

  it('puts requeued invocations in front, in their order', async () => {
    const { run, hosts, scheduler } = schedulerOf({ busyHosts: 1, startable: 1 });
    const moduleVersion = endpoint('a');
    run(moduleVersion, 3);
    await dispatched();
    const [host] = hosts as [FakeHost];
    const [first, ...rest] = [...host.invocations.values()];
    run(moduleVersion, 1);
    scheduler.requeue(host, rest);
    expect([scheduler.isWaiting(), [...host.invocations.values()]]).toEqual([true, [first]]);
    expect([host.queue?.length, host.queue?.takeBatch().slice(0, 2)]).toEqual([3, rest]);
  });

  it('sends each isolated retry to a host of its own', async () => {
    const { run, hosts, scheduler, frames } = schedulerOf();
    run(endpoint('a'), 3);
    await dispatched();
    const [host] = hosts as [FakeHost];
    const invocations = [...host.invocations.values()];
    for (const invocation of invocations) invocation.isolate();
    host.frames.clear();
    scheduler.requeue(host, invocations);
    host.release(0);
    scheduler.schedule();
    await dispatched();
    expect(frames()).toEqual([[3, 1], [1]]);
    expect(hosts.every(({ isExclusive }) => isExclusive)).toBe(true);
  });

  it('sends one invocation to a host at a time for a minute after a loss that several may have caused', async () => {
    const { run, hosts, scheduler, frames, tick } = schedulerOf({ busyHosts: 16 });
    const moduleVersion = endpoint('a');
    run(moduleVersion);
    await dispatched();
    const [host] = hosts as [FakeHost];
    host.queue?.recordSharedLoss(0);
    answer(host);
    tick(59_999);
    const runs = run(moduleVersion, 6);
    await dispatched();
    expect(frames()).toEqual([[1, 1], [1], [1], [1]]);
    expect(hosts.map(({ sent }) => sent.at(-1)?.message)).toMatchObject(
      hosts.map(() => ({ maxInFlight: 1 })),
    );
    for (const busy of hosts) answer(busy);
    scheduler.schedule();
    await dispatched();
    expect(frames()).toEqual([[1, 1, 1], [1, 1], [1], [1]]);
    for (const busy of hosts) answer(busy);
    expect(await codes(runs)).toEqual(runs.map(() => 'result'));
    tick(1);
    run(moduleVersion, 6);
    await dispatched();
    expect(frames().flat()).toContain(6);
  });

  it('fills no host with more text than a quarter of the heap of the module', async () => {
    const { run, hosts, frames, scheduler } = schedulerOf({ busyHosts: 16 });
    // A quarter of 8 MB is a million characters of two bytes.
    const moduleVersion = endpoint('a', { limits: { heapMb: 8 } });
    const body = 'x'.repeat(300_000);
    run(moduleVersion, 1, { body: 'x'.repeat(2_000_000) });
    run(moduleVersion, 5, { body });
    await dispatched();
    expect(frames()).toEqual([[1], [3], [2]]);
    run(moduleVersion, 2, { body });
    await dispatched();
    expect(frames()).toEqual([[1], [3], [2, 1], [1]]);
    answer(hosts[0] as FakeHost);
    run(moduleVersion, 1, { body });
    scheduler.schedule();
    await dispatched();
    expect(hosts.map(({ invocations }) => invocations.characters <= 1_048_576)).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  it('rejects what waits, of one module or of all', async () => {
    const { run, scheduler } = schedulerOf({ startable: 0 });
    const runs = [...run(endpoint('a')), ...run(endpoint('b'))];
    scheduler.rejectModule('endpoint:1.0/a', { kind: 'failure', code: 'ENDPOINT_SUSPENDED', message: '' });
    scheduler.rejectModule('endpoint:1.0/unknown', RESULT);
    scheduler.rejectAll({ kind: 'failure', code: 'ENDPOINT_CRASHED', message: '' });
    expect(await codes(runs)).toEqual(['ENDPOINT_SUSPENDED', 'ENDPOINT_CRASHED']);
    expect(scheduler.isWaiting()).toBe(false);
  });

  it('forgets the queue of a module a minute after its last call, unless a host serves it', async () => {
    const { run, scheduler, hosts, tick } = schedulerOf();
    const moduleVersion = endpoint('a');
    const queueAfter = async (ms: number) => {
      tick(ms);
      scheduler.disposeUnused();
      run(moduleVersion);
      await dispatched();
      return hosts[0]?.queue as ModuleQueue;
    };
    const first = await queueAfter(0);
    expect(await queueAfter(60_001)).toBe(first);
    while ((hosts[0] as FakeHost).frames.length > 0) answer(hosts[0] as FakeHost);
    expect(await queueAfter(60_001)).not.toBe(first);
  });
});

describe('the invocations that the memory of one host is enough for', () => {
  const inHost = (isolation: 'realm' | 'isolate', heapMb: number) => {
    const { policy } = createModuleVersion('code', { limits: { heapMb } });
    return maxInvocationsInHost({ policy: { ...policy, isolation } }, 384);
  };

  it('are so many as have a heap of their own in it, and any number of those that share one', () => {
    expect([64, 96, 256].map((heapMb) => inHost('isolate', heapMb))).toEqual([4, 3, 1]);
    expect(inHost('realm', 256)).toBe(Number.POSITIVE_INFINITY);
  });
});
