// How a host runs requests: one time slice after the other, never two at a time. What a slice does is known to be of one request, but
// for the short while between the answer of one and the begin of the next where they share an entry.

import { createLoadedModules, releaseOutgoing } from './loaded-modules.js';
import { createTexts, smallOnes } from './request-texts.js';
import { createResultFrame } from './result-frame.js';
import { OVER } from './shared-entry.js';

/** @import { Sizes } from './request-texts.js' */
/** @import { Batch } from './shared-entry.js' */
/** @import { Emit, Guest, LoadedModule, ModuleOptions, SliceEnd, StartedRequest } from './loaded-modules.js' */
/** @import { ToHost } from './protocol.ts' */

/** Time slices of up to this many milliseconds are short, and so are batches. */
const SHORT_MS = 2;
/**
 * After a time slice of this many milliseconds or more, answers of its module version go out one by one for a hundred times as long, at most
 * a minute: nobody's answer waits for the next such time slice. Shorter ones hold an answer up for as long as they are, and on a
 * busy machine every time slice is one of them now and then.
 */
const CARE_FROM_MS = 10;
const CARE_FACTOR = 100;
const CARE_MS = 60_000;
/**
 * Milliseconds that a time slice has at least, however late it begins: the server knows best when the wall time of a request is over,
 * as it counts none that the request spent behind others.
 */
const MIN_WALL_MS = 200;

/** Events after which a request is over: its own, and that it will never answer. */
const ENDS = new Set([...OVER, 'silent']);

/**
 * Measures time slices, in milliseconds.
 * @param {() => number} now
 * @param {() => number} cpu
 */
function createTimer(now, cpu) {
  let startedAt = 0;
  let cpuBefore = 0;
  return {
    /** Once before the time slices of a frame: what follows is short, or alone. */
    reset() {
      cpuBefore = cpu();
    },
    begin() {
      startedAt = now();
      return startedAt;
    },
    /** CPU time; of a short time slice the clock says enough, of a long one only the kernel knows. */
    end() {
      const took = now() - startedAt;
      if (took <= SHORT_MS) return took;
      const before = cpuBefore;
      cpuBefore = cpu();
      return Math.min(took, cpuBefore - before);
    },
  };
}

/**
 * @param {object} options
 * @param {(options: ModuleOptions, emit: Emit) => Guest} options.createGuest
 * @param {Parameters<typeof createResultFrame>[0]['writer']} options.writer
 * @param {() => number} options.now Milliseconds, steady.
 * @param {() => number} options.cpu Milliseconds of CPU that this thread has used.
 * @param {() => number} options.peakMb The most megabytes of memory that this process has had at a time.
 * @param {(number: number | null) => void} options.lost Ends this process: it cannot go on.
 */
export function createRequestRunner({ createGuest, writer, now, cpu, peakMb, lost }) {
  const report = createResultFrame({ writer, lost });
  const timer = createTimer(now, cpu);
  const modules = createLoadedModules({ now, peakMb, createGuest });
  /** The request whose time slice it is, and whether it ended in this time slice. */
  let number = 0;
  let over = false;

  /**
   * @param {LoadedModule} loaded
   * @returns {Emit}
   */
  const emitter = (loaded) => (of, kind, head, body) => {
    report.event(of, kind, head, body);
    if (!ENDS.has(kind)) return;
    loaded.started.delete(of);
    if (of === number) over = true;
  };

  /**
   * @param {LoadedModule} loaded
   * @param {number} used
   * @param {boolean} isolateGone
   * @param {number} [all] What it used with those before it in the same entry.
   */
  function finishSlice(loaded, used, isolateGone, all = used) {
    report.slice(used, all, isolateGone);
    if (used >= CARE_FROM_MS) loaded.carefulUntil = now() + Math.min(CARE_MS, used * CARE_FACTOR);
  }

  /**
   * One time slice of the current request, with what it has left as its limit. Returns the time that it used.
   * @param {LoadedModule} loaded
   * @param {StartedRequest} started
   * @param {(ms: number) => SliceEnd} run
   */
  function runSlice(loaded, started, run) {
    const left = Math.min(started.cpuLeft, Math.max(MIN_WALL_MS, started.wallEnd - timer.begin()));
    over = false;
    /** @type {SliceEnd} */
    const end = left > 0 ? run(Math.ceil(left)) : { error: 'timeout', message: 'no time is left' };
    const used = timer.end();
    started.cpuLeft -= used;
    if (end.error !== null) {
      report.error(number, end.error, end.message);
      modules.expectGarbage(loaded);
    }
    if (left <= 0) started.guest.forget(number);
    if (over || end.error !== null || started.guest.disposed) loaded.started.delete(number);
    else loaded.started.set(number, started);
    finishSlice(loaded, used, started.guest.disposed);
    return used;
  }

  /**
   * First time slice of the current request.
   * @param {LoadedModule} loaded
   * @param {string} head
   * @param {string} body
   */
  function start(loaded, head, body) {
    let guest;
    try {
      guest = modules.guestOf(loaded, emitter(loaded));
    } catch (error) {
      report.error(number, 'load', String(/** @type {Error} */ (error).message));
      return 0;
    }
    const { cpuMs, wallMs } = loaded.options;
    const started = { guest, cpuLeft: cpuMs, wallEnd: now() + wallMs };
    return runSlice(loaded, started, (ms) => guest.start(number, head, body, ms));
  }

  /**
   * The next of these requests, or as many of them as can share one entry. Returns how many have run, and the longest time that
   * one of them took.
   * @param {LoadedModule} loaded
   * @param {readonly Sizes[]} waiting
   * @param {ReturnType<typeof createTexts>} texts
   * @param {number} since Begin of the frame.
   */
  function startNext(loaded, waiting, texts, since) {
    const { guest } = loaded;
    const canShare = guest?.synchronous === true && !guest.disposed && now() >= loaded.carefulUntil;
    const sharing = canShare ? smallOnes(waiting) : [];
    if (guest !== null && sharing.length > 1) {
      const shared = startAll(loaded, guest, texts.peek(sharing), since);
      texts.skip(waiting.slice(0, shared.done));
      return shared;
    }
    const [[next, headBytes, bodyBytes] = [0, 0, 0]] = waiting;
    number = next;
    return { done: 1, used: start(loaded, texts.take(headBytes), texts.take(bodyBytes)) };
  }

  /**
   * Requests of a synchronous module in one entry, until one of them took long. The first has all of its time; where one was
   * stopped behind it, all that have not ended are given back. Returns how many have run, and the longest time that one of them took.
   * @param {LoadedModule} loaded
   * @param {Guest} guest
   * @param {Pick<Batch, 'requests' | 'texts'>} batch
   * @param {number} since Begin of the frame.
   */
  function startAll(loaded, guest, { requests, texts }, since) {
    let longest = 0;
    const mayGoOn = () => {
      longest = Math.max(longest, timer.end());
      return longest <= SHORT_MS && timer.begin() - since <= SHORT_MS && !report.isLarge();
    };
    const left = Math.min(loaded.options.cpuMs, loaded.options.wallMs);
    const begin = timer.begin();
    const { done, end, of } = guest.startAll({ requests, texts, mayGoOn }, left);
    longest = Math.max(longest, timer.end());
    if (end.error !== null) report.error(of, end.error, end.message);
    // All but the longest are short, and so they are together: of them the clock says enough.
    finishSlice(loaded, longest, guest.disposed, Math.min(now() - begin, longest + SHORT_MS));
    return { done, used: end.error === null ? longest : Number.POSITIVE_INFINITY };
  }

  /**
   * Whether answers must go out now, because the next time slice might hold them up.
   * @param {LoadedModule} loaded
   * @param {number} since Begin of the batch.
   */
  function cannotWait(loaded, since) {
    if (report.isEmpty()) return false;
    const time = now();
    return time < loaded.carefulUntil || time - since > SHORT_MS || report.isLarge();
  }

  return {
    /**
     * @param {Extract<ToHost, { t: 'load' }>} message
     * @param {Buffer} raw
     */
    load({ t: _, moduleNumber, ...options }, raw) {
      modules.load(moduleNumber, { ...options, source: raw.toString() });
    },

    /** @param {Extract<ToHost, { t: 'drop' }>} message */
    drop({ moduleNumber }) {
      modules.drop(moduleNumber);
    },

    /**
     * A batch: in order, until a time slice was long, the isolate is gone, or too many requests wait.
     * @param {Extract<ToHost, { t: 'run' }>} message
     * @param {Buffer} raw
     */
    run({ moduleNumber, requests, maxInFlight }, raw) {
      const loaded = modules.use(moduleNumber);
      if (loaded === undefined) return lost(null);
      const texts = createTexts(raw);
      const since = now();
      timer.reset();
      let waiting = requests;
      while (waiting.length > 0 && loaded.started.size < maxInFlight) {
        if (cannotWait(loaded, since)) report.flush(moduleNumber, false);
        const { done, used } = startNext(loaded, waiting, texts, since);
        waiting = waiting.slice(done);
        if (used > SHORT_MS || report.isolateGone()) break;
      }
      const heapBytes = modules.checkHeap(loaded);
      const returned = waiting.map(([next]) => next);
      report.flush(moduleNumber, true, returned, heapBytes);
    },

    /**
     * The answer to a guest call. The request may have ended meanwhile: then nothing runs, and only the frame is answered.
     * @param {Extract<ToHost, { t: 'deliver' }>} message
     * @param {Buffer} raw
     */
    deliver({ moduleNumber, number: of, call, ok }, raw) {
      const loaded = modules.get(moduleNumber);
      const started = loaded?.started.get(of);
      let heapBytes = 0;
      if (loaded !== undefined && started !== undefined) {
        const text = raw.toString();
        number = of;
        timer.reset();
        runSlice(loaded, started, (ms) => started.guest.deliver(of, { call, ok, text }, ms));
        heapBytes = modules.checkHeap(loaded);
      }
      report.flush(moduleNumber, true, [], heapBytes);
    },

    /** @param {Extract<ToHost, { t: 'forget' }>} message */
    forget({ moduleNumber, number: of }) {
      const loaded = modules.get(moduleNumber);
      const started = loaded?.started.get(of);
      if (loaded === undefined || started === undefined) return;
      loaded.started.delete(of);
      started.guest.forget(of);
      releaseOutgoing(loaded);
    },
  };
}
