// How a host runs requests: turn by turn, never two at a time, so that memory, time and blame belong to one request.

/** @import { ToHost } from './protocol.ts' */
/** @import { Begun, Emit, Guest, Kept, TurnEnd, UnitOptions } from './units.js' */
import { createReport } from './report.js';
import { createUnits, releaseOutgoing } from './units.js';

/** A turn, and a batch, of up to this many milliseconds is short. */
const SHORT_MS = 2;
/** From this on a turn's CPU time is asked of the kernel; below, its wall time is as good. */
const METERED_MS = 5;
/** After a turn of n milliseconds, answers of its unit go out one by one for n × 100 ms, at most a minute. */
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
    end() {
      const took = now() - startedAt;
      if (took < METERED_MS) return { took, used: took };
      const before = cpuBefore;
      cpuBefore = cpu();
      return { took, used: Math.min(took, cpuBefore - before) };
    },
  };
}

/**
 * @param {object} options
 * @param {(options: UnitOptions, emit: Emit, onLost: () => void) => Guest} options.createGuest
 * @param {Parameters<typeof createReport>[0]['writer']} options.writer
 * @param {() => number} options.now Milliseconds, steady.
 * @param {() => number} options.cpu Milliseconds of CPU that this thread has used.
 * @param {(job: number | null) => void} options.lost Ends this process: it cannot go on.
 */
export function createTurns({ createGuest, writer, now, cpu, lost }) {
  const report = createReport({ writer, lost });
  const meter = createMeter(now, cpu);
  const units = createUnits({
    now,
    createGuest: (options, emit) => createGuest(options, emit, () => lost(job)),
  });
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
   * One turn of the current request, with what it has left as its limit. Returns how long it took.
   * @param {Kept} kept
   * @param {Begun} begun
   * @param {(ms: number) => TurnEnd} run
   */
  function take(kept, begun, run) {
    const left = Math.min(begun.cpuLeft, begun.wallEnd - meter.begin());
    over = false;
    /** @type {TurnEnd} */
    const end = left > 0 ? run(Math.ceil(left)) : { fault: 'timeout', message: 'no time is left' };
    const { took, used } = meter.end();
    begun.cpuLeft -= used;
    if (end.fault !== null) report.fault(job, end.fault, end.message);
    if (left <= 0) begun.guest.forget(job);
    if (over || end.fault !== null) kept.begun.delete(job);
    else kept.begun.set(job, begun);
    report.turn(took, begun.guest.disposed);
    if (took > SHORT_MS) kept.carefulUntil = now() + Math.min(CARE_MS, took * CARE_FACTOR);
    return took;
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
        const took = start(kept, text(headBytes), text(bodyBytes));
        if (took > SHORT_MS || report.isolateGone()) break;
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
