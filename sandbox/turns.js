// How a host runs requests: turn by turn, never two at a time, so that memory, time and blame belong to one request.

/** @import { ToHost } from './protocol.ts' */
/** @import { Begun, Emit, Guest, Kept, TurnEnd, UnitOptions } from './units.js' */
import { createReport } from './report.js';
import { createUnits, releaseOutgoing } from './units.js';

/** Turns of up to this many milliseconds are short, and so are batches. */
const SHORT_MS = 2;
/**
 * After a turn of this many milliseconds or more, answers of its unit go out one by one for a hundred times as long, at most
 * a minute: nobody's answer waits for the next such turn. Shorter ones hold an answer up for as long as they are, and on a
 * busy machine every turn is one of them now and then.
 */
const CARE_FROM_MS = 10;
const CARE_FACTOR = 100;
const CARE_MS = 60_000;

const OVER = new Set(['end', 'result', 'next', 'error', 'silent']);

/**
 * Reads texts one after the other. Where all is ASCII, which is nearly always, the bytes are decoded once.
 * @param {Buffer} raw
 */
function textReader(raw) {
  const whole = raw.toString();
  const isAscii = whole.length === raw.length;
  let at = 0;
  return (/** @type {number} */ bytes) => {
    const from = at;
    at += bytes;
    return isAscii ? whole.slice(from, at) : raw.toString('utf8', from, at);
  };
}

/**
 * Measures turns, in milliseconds.
 * @param {() => number} now
 * @param {() => number} cpu
 */
function createMeter(now, cpu) {
  let startedAt = 0;
  let cpuBefore = 0;
  return {
    /** Once before the turns of a frame: what follows is short, or alone. */
    reset() {
      cpuBefore = cpu();
    },
    begin() {
      startedAt = now();
      return startedAt;
    },
    /** CPU time; of a short turn the clock says enough, of a long one only the kernel knows. */
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
 * @param {(options: UnitOptions, emit: Emit) => Guest} options.createGuest
 * @param {Parameters<typeof createReport>[0]['writer']} options.writer
 * @param {() => number} options.now Milliseconds, steady.
 * @param {() => number} options.cpu Milliseconds of CPU that this thread has used.
 * @param {(job: number | null) => void} options.lost Ends this process: it cannot go on.
 */
export function createTurns({ createGuest, writer, now, cpu, lost }) {
  const report = createReport({ writer, lost });
  const meter = createMeter(now, cpu);
  const units = createUnits({ now, createGuest });
  /** The request whose turn it is, and whether it ended in this turn. */
  let job = 0;
  let over = false;

  /**
   * @param {Kept} kept
   * @returns {Emit}
   */
  const emitter = (kept) => (of, kind, head, body) => {
    report.event(of, kind, head, body);
    if (!OVER.has(kind)) return;
    kept.begun.delete(of);
    if (of === job) over = true;
  };

  /**
   * One turn of the current request, with what it has left as its limit. Returns the time that it used.
   * @param {Kept} kept
   * @param {Begun} begun
   * @param {(ms: number) => TurnEnd} run
   */
  function take(kept, begun, run) {
    const left = Math.min(begun.cpuLeft, begun.wallEnd - meter.begin());
    over = false;
    /** @type {TurnEnd} */
    const end = left > 0 ? run(Math.ceil(left)) : { fault: 'timeout', message: 'no time is left' };
    const used = meter.end();
    begun.cpuLeft -= used;
    if (end.fault !== null) report.fault(job, end.fault, end.message);
    if (left <= 0) begun.guest.forget(job);
    if (over || end.fault !== null) kept.begun.delete(job);
    else kept.begun.set(job, begun);
    report.turn(used, begun.guest.disposed);
    if (used >= CARE_FROM_MS) kept.carefulUntil = now() + Math.min(CARE_MS, used * CARE_FACTOR);
    return used;
  }

  /**
   * First turn of the current request.
   * @param {Kept} kept
   * @param {string} head
   * @param {string} body
   */
  function start(kept, head, body) {
    let guest;
    try {
      guest = units.guestOf(kept, emitter(kept));
    } catch (error) {
      report.fault(job, 'load', String(/** @type {Error} */ (error).message));
      return 0;
    }
    const { cpuMs, wallMs } = kept.options;
    const begun = { guest, cpuLeft: cpuMs, wallEnd: now() + wallMs };
    return take(kept, begun, (ms) => guest.start(job, head, body, ms));
  }

  /**
   * Whether answers must go out now, because the next turn might hold them up.
   * @param {Kept} kept
   * @param {number} since Begin of the batch.
   */
  function cannotWait(kept, since) {
    if (report.isEmpty()) return false;
    const time = now();
    return time < kept.carefulUntil || time - since > SHORT_MS || report.isLarge();
  }

  return {
    /**
     * @param {Extract<ToHost, { t: 'load' }>} message
     * @param {Buffer} raw
     */
    load({ t: _, unit, ...options }, raw) {
      units.load(unit, { ...options, source: raw.toString() });
    },

    /** @param {Extract<ToHost, { t: 'drop' }>} message */
    drop({ unit }) {
      units.drop(unit);
    },

    /**
     * A batch: in order, until a turn was long, the isolate is gone, or too many requests wait.
     * @param {Extract<ToHost, { t: 'run' }>} message
     * @param {Buffer} raw
     */
    run({ unit, jobs, room }, raw) {
      const kept = units.get(unit);
      if (kept === undefined) return lost(null);
      const text = textReader(raw);
      const since = now();
      meter.reset();
      let done = 0;
      for (const [next, headBytes, bodyBytes] of jobs) {
        if (kept.begun.size >= room) break;
        if (cannotWait(kept, since)) report.flush(unit, false);
        job = next;
        done += 1;
        const used = start(kept, text(headBytes), text(bodyBytes));
        if (used > SHORT_MS || report.isolateGone()) break;
      }
      units.checkHeap(kept);
      const back = jobs.slice(done).map(([next]) => next);
      report.flush(unit, true, back);
    },

    /**
     * The answer to a host call. The request may have ended meanwhile: then nothing runs, and only the frame is answered.
     * @param {Extract<ToHost, { t: 'deliver' }>} message
     * @param {Buffer} raw
     */
    deliver({ unit, job: of, call, ok }, raw) {
      const kept = units.get(unit);
      const begun = kept?.begun.get(of);
      if (kept !== undefined && begun !== undefined) {
        const text = raw.toString();
        job = of;
        meter.reset();
        take(kept, begun, (ms) => begun.guest.deliver(of, { call, ok, text }, ms));
        units.checkHeap(kept);
      }
      report.flush(unit, true);
    },

    /** @param {Extract<ToHost, { t: 'forget' }>} message */
    forget({ unit, job: of }) {
      const kept = units.get(unit);
      const begun = kept?.begun.get(of);
      if (kept === undefined || begun === undefined) return;
      kept.begun.delete(of);
      begun.guest.forget(of);
      releaseOutgoing(kept);
    },
  };
}
