import { describe, expect, it } from 'vitest';
import { type Demand, maxInFlight, selectHost } from '../../src/sandbox-supervisor/host-selection.ts';
import type { ModuleQueue } from '../../src/sandbox-supervisor/module-queue.ts';
import {
  type FakeHost,
  type FakeInvocation,
  fakeHost,
  fakeInvocation,
  fakeQueue,
  sendNew,
  sendTo,
} from '../helpers/sandbox/sandbox.ts';

const LIMITS = { busyHosts: 2, maxHosts: 16 };

function demandOf(queue: ModuleQueue, parts: Partial<Demand> = {}): Demand {
  const usual = { domain: 'default', jit: false, moduleNumber: 1, concurrency: 16, isIsolated: false };
  const sizes = { characters: 200, maxCharacters: 10_000, maxPerHost: 1_000 };
  return { queue, ...usual, ...sizes, mayPipeline: true, now: 0, ...parts };
}

/** A queue whose time slices have this length. */
function queueWith({ sliceMs = 0.1, hasGuestCalls = false } = {}) {
  const queue = fakeQueue();
  for (let n = 0; n < 500; n += 1) queue.recordSlice(sliceMs, { isCold: false, now: -1_000_000 });
  if (hasGuestCalls) queue.recordGuestCallUse(true);
  return queue;
}

/** A host with frames of the queue. */
function busyHost(queue: ModuleQueue, { frames = 1, maxInFlight: max = 4 } = {}) {
  const host = fakeHost();
  for (let n = 0; n < frames; n += 1) sendNew(host, 1, { queue, maxInFlight: max });
  return host;
}

/** A host with invocations of the queue that wait for guest calls. */
function waitingHost(queue: ModuleQueue, started = 1) {
  const host = fakeHost();
  for (const invocation of sendNew(host, started, { queue })) invocation.start({ now: 0, sliceMs: 0 });
  host.frames.complete();
  return host;
}

function idle(host: FakeHost) {
  while (host.frames.length > 0) host.frames.complete();
  for (const invocation of [...host.invocations.values()]) {
    invocation.settle({ kind: 'result', json: '1' });
  }
  host.release(0);
  return host;
}

describe('the host for the next frame', () => {
  it('is a new one when there is none', () => {
    expect(selectHost([], demandOf(fakeQueue()), LIMITS)).toBe('start');
  });

  it('is one that has loaded the code, else one of the domain, else the spare', () => {
    const warm = idle(busyHost(fakeQueue()));
    const same = fakeHost();
    const spare = fakeHost({ domain: null });
    const demand = demandOf(fakeQueue());
    expect(selectHost([spare, same, warm], demand, LIMITS)).toBe(warm);
    expect(selectHost([spare, same], demand, LIMITS)).toBe(same);
    expect(selectHost([spare], demand, LIMITS)).toBe(spare);
  });

  it.each([
    ['of another domain', () => fakeHost({ domain: 'other' })],
    ['with the other kind of compiler', () => fakeHost({ jit: true })],
    [
      'that is dead',
      () => {
        const host = fakeHost();
        host.exit();
        return host;
      },
    ],
    [
      'that is draining',
      () => {
        const host = fakeHost();
        host.drain();
        return host;
      },
    ],
    ['that serves another module', () => waitingHost(fakeQueue())],
  ])('is never one %s', (_, create) => {
    expect(selectHost([create()], demandOf(fakeQueue()), LIMITS)).toBe('start');
  });

  it('is one that serves the module, as long as its frames are few and short', () => {
    const queue = queueWith({ sliceMs: 0.1 });
    const [assigned, other] = [busyHost(queue), fakeHost()];
    expect(selectHost([assigned, other], demandOf(queue), LIMITS)).toBe(assigned);
    for (let n = 0; n < 2; n += 1) sendNew(assigned, 1, { maxInFlight: 4 });
    expect(selectHost([assigned, other], demandOf(queue), LIMITS)).toBe(other);
    const slower = queueWith({ sliceMs: 5 });
    expect(selectHost([busyHost(slower), other], demandOf(slower), LIMITS)).toBe(other);
  });

  it('is none while another one is started, once the module has a host', () => {
    const queue = queueWith({ sliceMs: 0.1 });
    const full = busyHost(queue, { frames: 3 });
    const starting = fakeHost({ isReady: false });
    expect(selectHost([starting], demandOf(queue), LIMITS)).toBe(starting);
    expect(selectHost([full], demandOf(queue), LIMITS)).toBe('start');
    expect(selectHost([full, starting], demandOf(queue), LIMITS)).toBeNull();
    expect(selectHost([full, starting], demandOf(queue, { isIsolated: true }), LIMITS)).toBe(starting);
    starting.becomeReady(0);
    expect(selectHost([full, starting], demandOf(queue), LIMITS)).toBe(starting);
  });

  it('is not one that was sent frames before it is up, once another one is', () => {
    const queue = queueWith({ sliceMs: 0.1 });
    const starting = fakeHost({ isReady: false });
    sendNew(starting, 1, { queue, maxInFlight: 4 });
    expect(selectHost([starting], demandOf(queue), LIMITS)).toBe(starting);
    const up = busyHost(queue, { frames: 2 });
    expect(selectHost([starting, up], demandOf(queue), LIMITS)).toBe(up);
  });

  it('is not one that runs a frame while other modules have no host', () => {
    const queue = queueWith({ sliceMs: 0.1 });
    const demand = demandOf(queue, { mayPipeline: false });
    const limits = { ...LIMITS, busyHosts: 1 };
    expect(selectHost([busyHost(queue)], demand, limits)).toBeNull();
    const waiting = waitingHost(queue);
    expect(selectHost([waiting], demand, limits)).toBe(waiting);
  });

  it('is none while enough hosts are busy, without those that only wait', () => {
    const busy = [busyHost(fakeQueue()), busyHost(fakeQueue())];
    expect(selectHost([...busy, fakeHost()], demandOf(fakeQueue()), LIMITS)).toBeNull();
    const waiting = [1, 2, 3].map(() => waitingHost(fakeQueue()));
    expect(selectHost(waiting, demandOf(fakeQueue()), LIMITS)).toBe('start');
  });

  it('is found beside long time slices, unless the module is slow itself', () => {
    const loops = [busyHost(fakeQueue()), busyHost(fakeQueue())];
    expect(selectHost(loops, demandOf(fakeQueue(), { now: 151 }), LIMITS)).toBe('start');
    // Not measured yet.
    expect(selectHost(loops, demandOf(fakeQueue(), { now: 51 }), LIMITS)).toBeNull();
    // One that is measured and gets no core does not loop.
    for (const { frames } of loops) frames.recordCpu(0);
    expect(selectHost(loops, demandOf(fakeQueue(), { now: 151 }), LIMITS)).toBeNull();
    for (const { frames } of loops) frames.recordCpu(20);
    const slow = fakeQueue();
    slow.recordLongSlice(60, 0);
    expect(selectHost(loops, demandOf(fakeQueue(), { now: 51 }), LIMITS)).toBe('start');
    expect(selectHost(loops, demandOf(slow, { now: 151 }), LIMITS)).toBeNull();
  });

  it('is one of half the busy hosts for a slow module, and of a quarter of all for any', () => {
    const slow = queueWith({ sliceMs: 60 });
    slow.recordLongSlice(60, 0);
    const assigned = busyHost(slow);
    expect(selectHost([assigned], demandOf(slow), LIMITS)).toBeNull();
    expect(selectHost([assigned], demandOf(slow), { ...LIMITS, busyHosts: 4 })).toBe('start');
    const wide = queueWith({ sliceMs: 5, hasGuestCalls: true });
    const hosts = [1, 2, 3, 4].map(() => busyHost(wide));
    const demand = demandOf(wide, { concurrency: 100 });
    expect(selectHost(hosts, demand, { ...LIMITS, busyHosts: 9 })).toBeNull();
    expect(selectHost(hosts.slice(1), demand, { ...LIMITS, busyHosts: 9 })).toBe('start');
  });

  it('is another one for an isolated retry of a slow module, as long as its other hosts only wait', () => {
    const slow = fakeQueue();
    slow.recordLongSlice(60, 0);
    const demand = demandOf(slow, { isIsolated: true });
    const waiting = [1, 2, 3].map(() => waitingHost(slow));
    expect(selectHost(waiting, demand, LIMITS)).toBe('start');
    expect(selectHost([...waiting, waitingHost(slow)], demand, LIMITS)).toBeNull();
    expect(selectHost([waitingHost(slow), busyHost(slow)], demand, LIMITS)).toBeNull();
  });

  it('is another one for an isolated retry, and not one that has such a retry', () => {
    const queue = fakeQueue();
    expect(selectHost([waitingHost(queue)], demandOf(queue, { isIsolated: true }), LIMITS)).toBe('start');
    const exclusive = fakeHost();
    const retry: FakeInvocation = fakeInvocation(queue);
    retry.isolate();
    sendTo(exclusive, [retry], { queue });
    exclusive.frames.complete();
    expect(selectHost([exclusive], demandOf(queue), LIMITS)).toBe('start');
  });
});

describe('the host for a large request', () => {
  const holding = (queue: ModuleQueue, characters: number) => {
    const host = fakeHost();
    sendTo(host, [fakeInvocation(queue, { head: '', body: 'x'.repeat(characters) })], { queue });
    return host;
  };
  const isSelected = (held: number, characters: number) => {
    const queue = queueWith({ hasGuestCalls: true });
    const host = holding(queue, held);
    return selectHost([host, fakeHost()], demandOf(queue, { characters }), LIMITS) === host;
  };

  it('is one in which the requests in flight leave room for it', () => {
    expect([isSelected(9000, 1000), isSelected(9000, 1001)]).toEqual([true, false]);
  });

  it('is one that has no other, if it is larger than all may be together, and then takes no further one', () => {
    expect([isSelected(1, 10_000), isSelected(20_000, 1)]).toEqual([false, false]);
    const queue = fakeQueue();
    expect(selectHost([], demandOf(queue, { characters: 20_000 }), LIMITS)).toBe('start');
  });

  it('has room again when a request has ended', () => {
    const queue = queueWith({ hasGuestCalls: true });
    const host = holding(queue, 9000);
    const [large] = host.invocations.values() as [FakeInvocation];
    sendTo(host, [fakeInvocation(queue, { head: '', body: 'x' })], { queue });
    expect(host.invocations.characters).toBe(9001);
    large.settle({ kind: 'result', json: '1' });
    expect(host.invocations.characters).toBe(1);
    expect(selectHost([host], demandOf(queue, { characters: 9999 }), LIMITS)).toBe(host);
  });
});

describe('the invocations in flight in a host', () => {
  const inFlight = (
    hosts: readonly FakeHost[],
    host: FakeHost | null,
    queue: ModuleQueue,
    concurrency: number,
    maxPerHost = Number.POSITIVE_INFINITY,
  ) => maxInFlight(hosts, host, { queue, concurrency, maxPerHost });

  it('are few at first, and as many as the policy allows when invocations make guest calls', () => {
    expect(inFlight([], null, fakeQueue(), 16)).toBe(4);
    expect(inFlight([], null, fakeQueue(), 2)).toBe(2);
    expect(inFlight([], null, queueWith({ hasGuestCalls: true }), 16)).toBe(16);
  });

  it('are no more than the memory of a host is enough for', () => {
    expect(inFlight([], null, queueWith({ hasGuestCalls: true }), 16, 4)).toBe(4);
  });

  it('are what other hosts of the module leave of its concurrency', () => {
    const queue = queueWith({ hasGuestCalls: true });
    const hosts = [busyHost(queue, { maxInFlight: 10 }), waitingHost(queue, 2), waitingHost(fakeQueue(), 3)];
    expect(inFlight(hosts, null, queue, 16)).toBe(4);
  });

  it('are none when as many have started as may', () => {
    const queue = queueWith({ hasGuestCalls: true });
    const full = waitingHost(queue, 16);
    expect(inFlight([full], full, queue, 16)).toBe(0);
    const almost = waitingHost(queue, 15);
    expect(inFlight([almost], almost, queue, 16)).toBe(16);
  });
});
