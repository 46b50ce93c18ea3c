import { describe, expect, it } from 'vitest';
import { createLoadedModules, releaseOutgoing } from '../../sandbox/loaded-modules.js';

const OPTIONS = { heapMb: 10, name: 'a.js', source: 'code' } as Parameters<
  ReturnType<typeof createLoadedModules>['load']
>[1];
const MB = 1_048_576;
const NO_ERROR = { error: null } as const;

function unitsOf({ peak = 100 } = {}) {
  const guests: { heap: number; isDisposed: boolean }[] = [];
  let now = 0;
  const modules = createLoadedModules({
    now: () => now,
    peakMb: () => peak,
    createGuest() {
      const state = { heap: 2 * MB, isDisposed: false };
      guests.push(state);
      return {
        synchronous: false,
        start: () => NO_ERROR,
        startAll: () => ({ done: 0, end: NO_ERROR, of: 0 }),
        deliver: () => NO_ERROR,
        forget: () => undefined,
        memory: () => ({ used: state.heap, held: state.heap }),
        dispose: () => {
          state.isDisposed = true;
        },
        get disposed() {
          return state.isDisposed;
        },
      };
    },
  });
  modules.load(1, OPTIONS);
  const loaded = modules.get(1);
  if (loaded === undefined) throw new Error('not loaded');
  const guest = () => modules.guestOf(loaded, () => undefined);
  return { modules, loaded, guests, guest, wait: (ms: number) => (now += ms) };
}

describe('modules of a host', () => {
  it('make an isolate when it is needed, once, and another when that is gone', () => {
    const { guests, guest } = unitsOf();
    expect(guests).toHaveLength(0);
    expect(guest()).toBe(guest());
    expect(guests).toHaveLength(1);
    guest().dispose();
    guest();
    expect(guests).toHaveLength(2);
  });

  it('are disposed of when dropped', () => {
    const { modules, guests, guest } = unitsOf();
    guest();
    modules.drop(1);
    modules.drop(2);
    expect(guests[0]?.isDisposed).toBe(true);
    expect(modules.get(1)).toBeUndefined();
  });

  it('replace an isolate whose heap has grown by half of what it may', () => {
    const { modules, loaded, guests, guest, wait } = unitsOf();
    guest();
    (guests[0] as { heap: number }).heap = 5.9 * MB;
    wait(300);
    expect(modules.checkHeap(loaded)).toBe(5.9 * MB);
    expect(loaded.guest).not.toBeNull();
    (guests[0] as { heap: number }).heap = 6 * MB;
    expect(modules.checkHeap(loaded)).toBe(0);
    expect(loaded.guest, 'not asked again so soon').not.toBeNull();
    wait(300);
    expect(modules.checkHeap(loaded)).toBe(6 * MB);
    expect([loaded.guest, loaded.outgoing, guests[0]?.isDisposed]).toEqual([null, null, true]);
  });

  it('keep a replaced isolate until nobody waits in it, and replace none meanwhile', () => {
    const { modules, loaded, guests, guest, wait } = unitsOf();
    loaded.started.set(9, { guest: guest(), cpuLeft: 1, wallEnd: 1 });
    (guests[0] as { heap: number }).heap = 9 * MB;
    wait(300);
    modules.checkHeap(loaded);
    expect(loaded.outgoing).not.toBeNull();
    guest();
    (guests[1] as { heap: number }).heap = 9 * MB;
    wait(300);
    modules.checkHeap(loaded);
    expect(guests.map(({ isDisposed }) => isDisposed)).toEqual([false, false]);
    loaded.started.delete(9);
    releaseOutgoing(loaded);
    expect(guests.map(({ isDisposed }) => isDisposed)).toEqual([true, false]);
  });
});

it('an isolate is looked at at once after a time slice that was stopped', () => {
  const { modules, loaded, guests, guest } = unitsOf();
  guest();
  guests[0]!.heap = 9 * MB;
  modules.checkHeap(loaded);
  expect(loaded.guest).not.toBeNull();
  modules.expectGarbage(loaded);
  modules.checkHeap(loaded);
  expect([loaded.guest, guests[0]?.isDisposed]).toEqual([null, true]);
});

describe('a host that goes on to another module', () => {
  /** Isolates of three modules, each holding so many MB when the host leaves it. */
  function left(heaps: readonly number[], next: { readonly heapMb: number; readonly peak?: number }) {
    const { modules, guests } = unitsOf(next);
    heaps.forEach((heap, n) => {
      modules.load(n + 1, OPTIONS);
      const loaded = modules.use(n + 1);
      if (loaded === undefined) throw new Error('not loaded');
      modules.guestOf(loaded, () => undefined);
      guests.at(-1)!.heap = heap * MB;
    });
    modules.load(9, { ...OPTIONS, ...next });
    modules.use(9);
    return guests.map(({ isDisposed }) => isDisposed);
  }

  it('keeps isolates that leave enough memory for it', () => {
    expect(left([60, 50], { heapMb: 64 })).toEqual([false, false]);
    expect(left([3, 3, 3, 3, 3, 3, 3, 3, 3, 3], { heapMb: 256 })).not.toContain(true);
  });

  it('disposes of those that hold most', () => {
    expect(left([3, 120, 10], { heapMb: 64 })).toEqual([false, true, false]);
    expect(left([90, 90], { heapMb: 256 })).toEqual([true, true]);
  });

  it('keeps none once the process has had so much memory that there may be some that V8 does not count', () => {
    expect(left([3, 3, 3], { heapMb: 64, peak: 240 })).not.toContain(true);
    expect(left([3, 3, 3], { heapMb: 64, peak: 241 })).not.toContain(false);
  });

  it('makes the isolate of a module anew when it is needed again', () => {
    const { modules, guests, loaded, guest } = unitsOf();
    modules.use(1);
    guest();
    guests[0]!.heap = 200 * MB;
    modules.load(2, OPTIONS);
    modules.use(2);
    expect([guests[0]?.isDisposed, loaded.guest]).toEqual([true, null]);
    modules.use(1);
    guest();
    expect(guests).toHaveLength(2);
  });
});
