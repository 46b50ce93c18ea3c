// The code that a host keeps, each version of a module under its number, and the isolates made of it.

/** @import { Batch } from './guest.js' */
/** @import { GuestEventKind, LoadOptions, TurnFault } from './protocol.ts' */

/**
 * @typedef {{ fault: null } | { fault: TurnFault, message: string }} TurnEnd
 *
 * @typedef {object} Guest What isolate.js makes of one version of a module.
 * @property {(job: number, head: string, body: string, ms: number) => TurnEnd} start
 * @property {boolean} synchronous Its requests are over when their handler has returned.
 * @property {(batch: Batch, ms: number) => { done: number, end: TurnEnd }} startAll
 * @property {(job: number, call: { call: number, ok: boolean, text: string }, ms: number) => TurnEnd} deliver
 * @property {(job: number) => void} forget
 * @property {() => number} heapBytes
 * @property {() => void} dispose
 * @property {boolean} disposed
 *
 * @typedef {(job: number, kind: GuestEventKind, head: string, body: string) => void} Emit
 * @typedef {LoadOptions & { name: string, source: string }} UnitOptions
 *
 * @typedef {object} Begun A request that has begun and not ended.
 * @property {Guest} guest The isolate in which it lives.
 * @property {number} cpuLeft
 * @property {number} wallEnd
 *
 * @typedef {object} Kept One version of a module.
 * @property {UnitOptions} options
 * @property {Guest | null} guest
 * @property {Guest | null} outgoing An isolate that was replaced, until the last request that waits in it ends.
 * @property {number} heapAtStart
 * @property {number} heapReadAt
 * @property {Map<number, Begun>} begun
 * @property {number} carefulUntil Until when an answer of this unit must not wait for another turn.
 */

const HEAP_CHECK_MS = 250;
const MB = 1_048_576;

/** @param {Kept} kept */
export function releaseOutgoing(kept) {
  if (kept.outgoing === null) return;
  for (const { guest } of kept.begun.values()) if (guest === kept.outgoing) return;
  kept.outgoing.dispose();
  kept.outgoing = null;
}

/**
 * @param {object} options
 * @param {(options: UnitOptions, emit: Emit) => Guest} options.createGuest
 * @param {() => number} options.now Milliseconds, steady.
 */
export function createUnits({ createGuest, now }) {
  /** @type {Map<number, Kept>} */
  const units = new Map();

  return {
    /** @param {number} unit */
    get: (unit) => units.get(unit),

    /**
     * @param {number} unit
     * @param {UnitOptions} options
     */
    load(unit, options) {
      const nothing = { guest: null, outgoing: null, heapAtStart: 0, heapReadAt: 0, carefulUntil: 0 };
      units.set(unit, { ...nothing, options, begun: new Map() });
    },

    /** @param {number} unit */
    drop(unit) {
      const kept = units.get(unit);
      units.delete(unit);
      kept?.guest?.dispose();
      kept?.outgoing?.dispose();
    },

    /**
     * The isolate of a unit, made when it is first needed. Throws when its code does not compile.
     * @param {Kept} kept
     * @param {Emit} emit
     */
    guestOf(kept, emit) {
      if (kept.guest !== null && !kept.guest.disposed) return kept.guest;
      kept.guest = createGuest(kept.options, emit);
      kept.heapReadAt = now();
      kept.heapAtStart = kept.guest.heapBytes();
      return kept.guest;
    },

    /**
     * V8 collects late: an isolate is replaced before what earlier requests left behind can cost a later one its memory.
     * @param {Kept} kept
     */
    checkHeap(kept) {
      releaseOutgoing(kept);
      const { guest, heapAtStart } = kept;
      if (guest === null || guest.disposed || now() - kept.heapReadAt < HEAP_CHECK_MS) return;
      kept.heapReadAt = now();
      const half = heapAtStart + Math.max(0, kept.options.heapMb * MB - heapAtStart) / 2;
      if (kept.outgoing !== null || guest.heapBytes() < half) return;
      kept.outgoing = guest;
      kept.guest = null;
      releaseOutgoing(kept);
    },
  };
}
