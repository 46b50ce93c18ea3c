// How a host runs requests: turn by turn, never two at a time, so that memory, time and blame belong to one request.

/** @import { ToHost } from './protocol.ts' */
/** @import { Batch } from './guest.js' */
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

/** @typedef {readonly [job: number, headLength: number, bodyLength: number]} Sizes Of one request: in bytes, or in characters. */

/**
 * The texts of a frame: head, body, head, body, … Where all is ASCII, which is nearly always, the bytes are decoded once.
 * @param {Buffer} raw
 */
function createTexts(raw) {
  const whole = raw.toString();
  const isAscii = whole.length === raw.length;
  let at = 0;
  const take = (/** @type {number} */ bytes) => {
    const from = at;
    at += bytes;
    return isAscii ? whole.slice(from, at) : raw.toString('utf8', from, at);
  };
  return {
    take,
    skip(/** @type {readonly Sizes[]} */ jobs) {
      for (const [, headBytes, bodyBytes] of jobs) at += headBytes + bodyBytes;
    },
    /** The texts of the next requests as one, with their lengths in characters. None of it is taken. */
    peek(/** @type {readonly Sizes[]} */ jobs) {
      if (isAscii) return { jobs, texts: at === 0 ? whole : whole.slice(at) };
      const from = at;
      let texts = '';
      /** @type {Sizes[]} */
      const sizes = jobs.map(([job, headBytes, bodyBytes]) => {
        const head = take(headBytes);
        const body = take(bodyBytes);
        texts += head + body;
        return [job, head.length, body.length];
      });
      at = from;
      return { jobs: sizes, texts };
    },
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
   * @param {Kept} kept
   * @param {number} used
   * @param {boolean} isolateGone
   */
  function finishTurn(kept, used, isolateGone) {
    report.turn(used, isolateGone);
    if (used >= CARE_FROM_MS) kept.carefulUntil = now() + Math.min(CARE_MS, used * CARE_FACTOR);
  }

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
    finishTurn(kept, used, begun.guest.disposed);
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
   * The next of these requests, or as many of them as can share one entry. Returns how many have run, and the longest time that
   * one of them took.
   * @param {Kept} kept
   * @param {readonly Sizes[]} waiting
   * @param {ReturnType<typeof createTexts>} texts
   * @param {number} since Begin of the frame.
   */
  function startNext(kept, waiting, texts, since) {
    const { guest } = kept;
    const canShare = waiting.length > 1 && guest?.synchronous === true && !guest.disposed;
    if (canShare && now() >= kept.carefulUntil) {
      const shared = startAll(kept, guest, texts.peek(waiting), since);
      texts.skip(waiting.slice(0, shared.done));
      return shared;
    }
    const [[next, headBytes, bodyBytes] = [0, 0, 0]] = waiting;
    job = next;
    return { done: 1, used: start(kept, texts.take(headBytes), texts.take(bodyBytes)) };
  }

  /**
   * Requests of a synchronous module in one entry, until one of them took long. The first has all of its time; one that runs out of
   * it behind another one is given back unrun. Returns how many have run, and the longest time that one of them took.
   * @param {Kept} kept
   * @param {Guest} guest
   * @param {Pick<Batch, 'jobs' | 'texts'>} batch
   * @param {number} since Begin of the frame.
   */
  function startAll(kept, guest, { jobs, texts }, since) {
    let longest = 0;
    const mayGoOn = () => {
      longest = Math.max(longest, meter.end());
      return longest <= SHORT_MS && meter.begin() - since <= SHORT_MS && !report.isLarge();
    };
    const left = Math.min(kept.options.cpuMs, kept.options.wallMs);
    meter.begin();
    const { done, end } = guest.startAll({ jobs, texts, mayGoOn }, left);
    longest = Math.max(longest, meter.end());
    const [last = 0] = jobs[done - 1] ?? [];
    if (end.fault !== null) report.fault(last, end.fault, end.message);
    finishTurn(kept, longest, guest.disposed);
    return { done, used: end.fault === null ? longest : Number.POSITIVE_INFINITY };
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
      const texts = createTexts(raw);
      const since = now();
      meter.reset();
      let waiting = jobs;
      while (waiting.length > 0 && kept.begun.size < room) {
        if (cannotWait(kept, since)) report.flush(unit, false);
        const { done, used } = startNext(kept, waiting, texts, since);
        waiting = waiting.slice(done);
        if (used > SHORT_MS || report.isolateGone()) break;
      }
      units.checkHeap(kept);
      const back = waiting.map(([next]) => next);
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
