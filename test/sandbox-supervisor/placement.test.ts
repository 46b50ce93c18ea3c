import { describe, expect, it } from 'vitest';
import { type Demand, remainingConcurrency, selectHost } from '../../src/sandbox-supervisor/placement.ts';
import type { Host, ModuleQueue, RunFrame } from '../../src/sandbox-supervisor/state.ts';
import { fakeHost, fakeQueue } from '../helpers/fake-host.ts';

const BOUNDS = { busyHosts: 2, maxHosts: 16 };
const FRAME: RunFrame = {
  unit: 1,
  requests: [],
  isDelivery: false,
  isCold: false,
  room: 4,
  parts: 0,
  since: 0,
  cpuMs: 0,
};

function wantedOf(lane: ModuleQueue, parts: Partial<Demand> = {}): Demand {
  const usual = { domain: 'default', jit: false, unit: 1, concurrency: 16, alone: false };
  return { lane, ...usual, mayPipeline: true, now: 0, ...parts };
}

/** A host that has requests of the lane. */
function hostOf(lane: ModuleQueue, parts: Partial<Host> = {}) {
  const host = fakeHost({ lane, frames: [FRAME], ...parts });
  lane.hosts.add(host);
  return host;
}

describe('a place for the next frame', () => {
  it('is a new host when there is none', () => {
    expect(selectHost([], wantedOf(fakeQueue()), BOUNDS)).toBe('start');
  });

  it('is the host that has the isolate warm, then one of the domain, then the spare', () => {
    const warm = fakeHost({ units: new Map([[1, 'endpoint:1.0/test']]) });
    const same = fakeHost();
    const spare = fakeHost({ domain: null });
    const wanted = wantedOf(fakeQueue());
    expect(selectHost([spare, same, warm], wanted, BOUNDS)).toBe(warm);
    expect(selectHost([spare, same], wanted, BOUNDS)).toBe(same);
    expect(selectHost([spare], wanted, BOUNDS)).toBe(spare);
  });

  it.each([
    ['of another domain', { domain: 'other' }],
    ['with the other kind of compiler', { jit: true }],
    ['that is dead', { state: 'dead' }],
    ['that is about to go', { draining: true }],
    ['that belongs to another lane', { lane: fakeQueue() }],
  ] as const)('is never a host %s', (_, parts) => {
    expect(selectHost([fakeHost(parts)], wantedOf(fakeQueue()), BOUNDS)).toBe('start');
  });

  it('is behind the frames of its own lane, as long as they are few and short', () => {
    const lane = fakeQueue({ turnMs: 0.1 });
    const own = hostOf(lane);
    expect(selectHost([own, fakeHost()], wantedOf(lane), BOUNDS)).toBe(own);
    const other = fakeHost();
    own.frames.push(FRAME, FRAME);
    expect(selectHost([own, other], wantedOf(lane), BOUNDS)).toBe(other);
    own.frames.length = 1;
    lane.turnMs = 5;
    expect(selectHost([own, other], wantedOf(lane), BOUNDS)).toBe(other);
  });

  it('is not behind another frame while others have no host', () => {
    const lane = fakeQueue({ turnMs: 0.1 });
    const own = hostOf(lane);
    expect(selectHost([own], wantedOf(lane, { mayPipeline: false }), { ...BOUNDS, busyHosts: 1 })).toBeNull();
    own.frames.length = 0;
    expect(selectHost([own], wantedOf(lane, { mayPipeline: false }), { ...BOUNDS, busyHosts: 1 })).toBe(own);
  });

  it('is none while enough hosts are busy; those that only wait do not count', () => {
    const busy = [hostOf(fakeQueue()), hostOf(fakeQueue())];
    expect(selectHost([...busy, fakeHost()], wantedOf(fakeQueue()), BOUNDS)).toBeNull();
    const waiting = [1, 2, 3].map(() => hostOf(fakeQueue(), { frames: [], begun: 1 }));
    expect(selectHost(waiting, wantedOf(fakeQueue()), BOUNDS)).toBe('start');
  });

  it('is found beside turns that have been long, for lanes that are not slow themselves', () => {
    const loops = [hostOf(fakeQueue()), hostOf(fakeQueue())];
    expect(selectHost(loops, wantedOf(fakeQueue(), { now: 51 }), BOUNDS)).toBe('start');
    expect(selectHost(loops, wantedOf(fakeQueue({ slowUntil: 100 }), { now: 51 }), BOUNDS)).toBeNull();
  });

  it('is half of the hosts at most for a slow lane, a quarter of all for any', () => {
    const slow = fakeQueue({ slowUntil: 100, turnMs: 60 });
    hostOf(slow);
    expect(selectHost([...slow.hosts], wantedOf(slow), BOUNDS)).toBeNull();
    expect(selectHost([...slow.hosts], wantedOf(slow), { ...BOUNDS, busyHosts: 4 })).toBe('start');
    const wide = fakeQueue({ turnMs: 5, waits: 1 });
    for (let n = 0; n < 4; n += 1) hostOf(wide);
    expect(
      selectHost([...wide.hosts], wantedOf(wide, { concurrency: 100 }), { ...BOUNDS, busyHosts: 9 }),
    ).toBeNull();
  });

  it('is shared with nobody by a request that runs alone', () => {
    const lane = fakeQueue();
    const own = hostOf(lane, { frames: [], begun: 1 });
    expect(selectHost([own], wantedOf(lane, { alone: true }), BOUNDS)).toBe('start');
    own.exclusive = true;
    expect(selectHost([own], wantedOf(lane), BOUNDS)).toBe('start');
  });
});

describe('the room in a host', () => {
  it('is a little at first, and all there is for requests that wait', () => {
    expect(remainingConcurrency(fakeQueue(), null, 16)).toBe(4);
    expect(remainingConcurrency(fakeQueue(), null, 2)).toBe(2);
    expect(remainingConcurrency(fakeQueue({ waits: 0.5 }), null, 16)).toBe(16);
  });

  it('is what other hosts leave of the concurrency, by what they were told', () => {
    const lane = fakeQueue({ waits: 0.5 });
    hostOf(lane, { frames: [{ ...FRAME, room: 10 }], begun: 3 });
    hostOf(lane, { frames: [], begun: 2 });
    expect(remainingConcurrency(lane, null, 16)).toBe(4);
  });

  it('is none when as many have begun as may', () => {
    const lane = fakeQueue({ waits: 0.5 });
    const own = hostOf(lane, { frames: [], begun: 16 });
    expect(remainingConcurrency(lane, own, 16)).toBe(0);
    own.begun = 15;
    expect(remainingConcurrency(lane, own, 16)).toBe(16);
  });
});
