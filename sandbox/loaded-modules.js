// The code that a host keeps, each version of a module under its number, and the isolates made of it.

/** @import { Batch } from './shared-entry.js' */
/** @import { GuestEventKind, LoadOptions, SliceError } from './protocol.ts' */

/**
 * @typedef {{ error: null } | { error: SliceError, message: string }} SliceEnd
 *
 * @typedef {object} Guest What isolate.js makes of one version of a module.
 * @property {(number: number, head: string, body: string, ms: number) => SliceEnd} start
 * @property {boolean} synchronous Its requests are over when their handler has returned.
 * @property {(batch: Batch, ms: number) => { done: number, end: SliceEnd, of: number }} startAll
 * @property {(number: number, call: { call: number, ok: boolean, text: string }, ms: number) => SliceEnd} deliver
 * @property {(number: number) => void} forget
 * @property {() => { used: number, held: number }} memory
 * @property {() => void} dispose
 * @property {boolean} disposed
 *
 * @typedef {(number: number, kind: GuestEventKind, head: string, body: string) => void} Emit
 * @typedef {LoadOptions & { name: string, source: string }} ModuleOptions
 *
 * @typedef {object} StartedRequest A request that has started and not ended.
 * @property {Guest} guest The isolate in which it lives.
 * @property {number} cpuLeft
 * @property {number} wallEnd
 *
 * @typedef {object} LoadedModule One version of a module.
 * @property {ModuleOptions} options
 * @property {Guest | null} guest
 * @property {Guest | null} outgoing An isolate that was replaced, until the last request that waits in it ends.
 * @property {number} heapAtStart
 * @property {number} heapReadAt
 * @property {number} idleBytes What its isolates held when the host went on to another module.
 * @property {Map<number, StartedRequest>} started
 * @property {number} carefulUntil Until when an answer of this module version must not wait for another time slice.
 */

const HEAP_CHECK_MS = 250;
const MB = 1_048_576;
/**
 * What isolates that are not in use may hold, together with the heap of the module that is: without that, garbage of others would
 * take the memory of the process that this one needs. An isolate without garbage holds 3 MB.
 */
const SHARED_MB = 192;
const MIN_IDLE_MB = 32;
/**
 * V8 does not count all memory of an isolate: objects of its library for languages (`Intl`, `Temporal`) lie outside. A process that has
 * had more than this may have such garbage for good, so from then on it keeps no isolate that is not in use.
 */
const PEAK_MB = 240;

/** @param {LoadedModule} loaded */
export function releaseOutgoing(loaded) {
  if (loaded.outgoing === null) return;
  for (const { guest } of loaded.started.values()) if (guest === loaded.outgoing) return;
  loaded.outgoing.dispose();
  loaded.outgoing = null;
}

/**
 * @param {object} options
 * @param {(options: ModuleOptions, emit: Emit) => Guest} options.createGuest
 * @param {() => number} options.now Milliseconds, steady.
 * @param {() => number} options.peakMb The most megabytes of memory that this process has had at a time.
 */
export function createLoadedModules({ createGuest, now, peakMb }) {
  /** @type {Map<number, LoadedModule>} */
  const modules = new Map();
  /** The one that ran last. @type {LoadedModule | undefined} */
  let current;

  /** Disposes of isolates that are not in use, those that hold most first, until the rest leaves enough for one. @param {LoadedModule} next */
  function dropIdle(next) {
    const idle = [...modules.values()].filter(
      ({ guest, started }) => guest !== null && guest !== next.guest && started.size === 0,
    );
    idle.sort((a, b) => a.idleBytes - b.idleBytes);
    let freeBytes = peakMb() > PEAK_MB ? -1 : Math.max(MIN_IDLE_MB, SHARED_MB - next.options.heapMb) * MB;
    for (const other of idle) {
      freeBytes -= other.idleBytes;
      if (freeBytes >= 0) continue;
      other.guest?.dispose();
      other.guest = null;
    }
  }

  return {
    /**
     * A version of a module whose requests are to run. No request of another one waits here then: the server sees to that.
     * @param {number} moduleNumber
     */
    use(moduleNumber) {
      const next = modules.get(moduleNumber);
      if (next === undefined || next === current) return next;
      if (current !== undefined) current.idleBytes = current.guest?.memory().held ?? 0;
      dropIdle(next);
      current = next;
      return next;
    },

    /** @param {number} moduleNumber */
    get: (moduleNumber) => modules.get(moduleNumber),

    /**
     * @param {number} moduleNumber
     * @param {ModuleOptions} options
     */
    load(moduleNumber, options) {
      const nothing = {
        guest: null,
        outgoing: null,
        heapAtStart: 0,
        heapReadAt: 0,
        idleBytes: 0,
        carefulUntil: 0,
      };
      modules.set(moduleNumber, { ...nothing, options, started: new Map() });
    },

    /** @param {number} moduleNumber */
    drop(moduleNumber) {
      const loaded = modules.get(moduleNumber);
      modules.delete(moduleNumber);
      if (loaded === current) current = undefined;
      loaded?.guest?.dispose();
      loaded?.outgoing?.dispose();
    },

    /**
     * The isolate of a module version, made when it is first needed. Throws when its code does not compile.
     * @param {LoadedModule} loaded
     * @param {Emit} emit
     */
    guestOf(loaded, emit) {
      if (loaded.guest !== null && !loaded.guest.disposed) return loaded.guest;
      loaded.guest = createGuest(loaded.options, emit);
      loaded.heapReadAt = now();
      loaded.heapAtStart = loaded.guest.memory().used;
      return loaded.guest;
    },

    /**
     * What a stopped time slice has left may fill the heap: it is looked at after this frame, however short ago that was done last.
     * @param {LoadedModule} loaded
     */
    expectGarbage(loaded) {
      loaded.heapReadAt = Number.NEGATIVE_INFINITY;
    },

    /**
     * V8 collects late: an isolate is replaced before what earlier requests left behind can cost a later one its memory.
     * @param {LoadedModule} loaded
     * @returns Bytes that it used; 0 where they were not looked at.
     */
    checkHeap(loaded) {
      releaseOutgoing(loaded);
      const { guest, heapAtStart } = loaded;
      if (guest === null || guest.disposed || now() - loaded.heapReadAt < HEAP_CHECK_MS) return 0;
      loaded.heapReadAt = now();
      const half = heapAtStart + Math.max(0, loaded.options.heapMb * MB - heapAtStart) / 2;
      const used = Math.max(0, guest.memory().used);
      if (loaded.outgoing !== null || used < half) return used;
      loaded.outgoing = guest;
      loaded.guest = null;
      releaseOutgoing(loaded);
      return used;
    },
  };
}
