import { describe, expect, it } from 'vitest';
import { createUnits, releaseOutgoing } from '../../sandbox/units.js';

const OPTIONS = { heapMb: 10, name: 'a.js', source: 'code' } as Parameters<
  ReturnType<typeof createUnits>['load']
>[1];
const MB = 1_048_576;
const NO_FAULT = { fault: null } as const;

function unitsOf() {
  const guests: { heap: number; isDisposed: boolean }[] = [];
  let now = 0;
  const units = createUnits({
    now: () => now,
    createGuest() {
      const state = { heap: 2 * MB, isDisposed: false };
      guests.push(state);
      return {
        synchronous: false,
        start: () => NO_FAULT,
        startAll: () => ({ done: 0, end: NO_FAULT }),
        deliver: () => NO_FAULT,
        forget: () => undefined,
        heapBytes: () => state.heap,
        dispose: () => {
          state.isDisposed = true;
        },
        get disposed() {
          return state.isDisposed;
        },
      };
    },
  });
  units.load(1, OPTIONS);
  const kept = units.get(1);
  if (kept === undefined) throw new Error('not kept');
  const guest = () => units.guestOf(kept, () => undefined);
  return { units, kept, guests, guest, wait: (ms: number) => (now += ms) };
}

describe('units of a host', () => {
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
    const { units, guests, guest } = unitsOf();
    guest();
    units.drop(1);
    units.drop(2);
    expect(guests[0]?.isDisposed).toBe(true);
    expect(units.get(1)).toBeUndefined();
  });

  it('replace an isolate whose heap has grown by half of what it may', () => {
    const { units, kept, guests, guest, wait } = unitsOf();
    guest();
    (guests[0] as { heap: number }).heap = 5.9 * MB;
    wait(300);
    units.checkHeap(kept);
    expect(kept.guest).not.toBeNull();
    (guests[0] as { heap: number }).heap = 6 * MB;
    units.checkHeap(kept);
    expect(kept.guest, 'not asked again so soon').not.toBeNull();
    wait(300);
    units.checkHeap(kept);
    expect([kept.guest, kept.outgoing, guests[0]?.isDisposed]).toEqual([null, null, true]);
  });

  it('keep a replaced isolate until nobody waits in it, and replace none meanwhile', () => {
    const { units, kept, guests, guest, wait } = unitsOf();
    kept.begun.set(9, { guest: guest(), cpuLeft: 1, wallEnd: 1 });
    (guests[0] as { heap: number }).heap = 9 * MB;
    wait(300);
    units.checkHeap(kept);
    expect(kept.outgoing).not.toBeNull();
    guest();
    (guests[1] as { heap: number }).heap = 9 * MB;
    wait(300);
    units.checkHeap(kept);
    expect(guests.map(({ isDisposed }) => isDisposed)).toEqual([false, false]);
    kept.begun.delete(9);
    releaseOutgoing(kept);
    expect(guests.map(({ isDisposed }) => isDisposed)).toEqual([true, false]);
  });
});
