// One version of a module, running requests turn by turn in one of three ways:
// - realm: all of them in one context that is frozen through and through; the module is evaluated anew for each;
// - context: each in a context of its own; - isolate: each in an isolate of its own.
import { randomFillSync } from 'node:crypto';
import { isSynchronous, usesOf } from './guest-bundle.js';
import { answer } from './host-functions.js';

/** @import { GuestEventKind, LoadOptions, TurnFault } from './protocol.ts' */

/**
 * @typedef {{ fault: null } | { fault: TurnFault, message: string }} TurnEnd
 * @typedef {(job: number, kind: GuestEventKind, head: string, body: string) => void} Emit
 * @typedef {LoadOptions & { name: string, source: string }} GuestOptions
 *
 * @typedef {object} Room A context that is ready for requests.
 * @property {(ms: number, args: (string | number | boolean)[]) => unknown} enter Calls the one function in it.
 * @property {() => void} release
 *
 * @typedef {object} Engine An isolate with the compiled code of one version of a module.
 * @property {() => Room} open
 * @property {() => number} heapBytes
 * @property {() => boolean} isDisposed
 * @property {() => void} dispose
 *
 * @typedef {(job: number, kind: string, head: string, body: string) => string | number | undefined} Door
 * @typedef {(options: GuestOptions, door: Door) => Engine} CreateEngine
 * @typedef {{ engine: Engine, room: Room, logged: boolean }} Place Where a request runs.
 *
 * @typedef {object} Batch Requests of a synchronous module.
 * @property {readonly (readonly [job: number, headCharacters: number, bodyCharacters: number])[]} jobs
 * @property {string} texts Head, body, head, body, …
 * @property {() => boolean} mayGoOn Asked after each answer: whether the next one may begin.
 */

/**
 * Milliseconds for what a stopped turn left behind. Two would do on an idle machine; on a busy one the kernel may take longer
 * to come back to us, and those who wait in the same isolate would pay for it.
 */
const CLEAN_UP_MS = 10;
/** Milliseconds for a question to our own code. */
const QUESTION_MS = 50;
const TIMED_OUT = 'Script execution timed out.';
const MESSAGE_CHARACTERS = 300;
/** Kept back from the log of each request for what is told of it out here. */
const OWN_LOG_BYTES = 1_024;

const EVENTS = new Set(['end', 'result', 'next', 'error', 'call', 'log']);
const OVER = new Set(['end', 'result', 'next', 'error']);

/** @type {{ fault: null }} */
const NO_FAULT = { fault: null };

/** What the guest code is told after an answer: to go on with the next request of the entry. */
const GO_ON = 1;

const seeds = new Int32Array(1_024);
let usedSeeds = seeds.length;

/** A number of 32 bits that nobody can guess. */
function nextSeed() {
  if (usedSeeds === seeds.length) {
    randomFillSync(seeds);
    usedSeeds = 0;
  }
  usedSeeds += 1;
  return seeds[usedSeeds - 1] ?? 0;
}

/** @param {GuestOptions} options @returns {GuestOptions} */
function withoutOwnShare(options) {
  return {
    ...options,
    logLines: Math.max(0, options.logLines - 1),
    logBytes: Math.max(0, options.logBytes - OWN_LOG_BYTES),
  };
}

class Guest {
  #createEngine;
  #options;
  #emit;
  #seeds;
  /** Its requests are over when their handler has returned: many of them can share one entry. */
  synchronous;
  /** What all requests share: nothing, the isolate, or the isolate and its context. @type {Engine | undefined} */
  #engine;
  /** @type {Room | undefined} */
  #room;
  /** Requests that have begun and not ended. @type {Map<number, Place>} */
  #places = new Map();
  /** Whose turn it is, and whether that request has ended. */
  #job = 0;
  #over = false;
  /** Requests that share the current entry, and how many of them have ended. @type {Batch | undefined} */
  #batch;
  #ended = 0;
  #disposed = false;

  /**
   * @param {CreateEngine} createEngine
   * @param {GuestOptions} options
   * @param {Emit} emit
   */
  constructor(createEngine, options, emit) {
    this.#options = options;
    this.#emit = emit;
    this.synchronous = isSynchronous(options);
    this.#seeds = usesOf(options.source).math;
    this.#createEngine = () => createEngine(withoutOwnShare(options), this.#door);
    // Also in the mode that will not use it, so that code that does not compile is refused here.
    this.#engine = this.#createEngine();
    if (options.isolation === 'realm') this.#room = this.#engine.open();
  }

  /** @type {Door} */
  #door = (job, kind, head, body) => {
    if (!EVENTS.has(kind)) return answer(kind, head, body);
    if (this.#batch !== undefined) return this.#emitOfBatch(this.#batch, job, kind, head, body);
    // Only the request whose turn it is may speak, and only until it has ended (its log aside).
    if (job !== this.#job || (this.#over && kind !== 'log')) return undefined;
    this.#emit(job, /** @type {GuestEventKind} */ (kind), head, body);
    // Only now: an answer for which the stack had no room was none.
    if (OVER.has(kind)) this.#over = true;
    return undefined;
  };

  /**
   * As above for requests that share an entry: they end one after the other, and each begins when the one before it has ended.
   * @param {Batch} batch
   * @param {number} job
   * @param {string} kind
   * @param {string} head
   * @param {string} body
   */
  #emitOfBatch({ jobs, mayGoOn }, job, kind, head, body) {
    const ended = this.#ended;
    if (!OVER.has(kind)) {
      const isLast = ended > 0 && jobs[ended - 1]?.[0] === job;
      if (kind === 'log' && (isLast || (!this.#over && jobs[ended]?.[0] === job)))
        this.#emit(job, kind, head, body);
      return undefined;
    }
    if (this.#over || jobs[ended]?.[0] !== job) return undefined;
    this.#emit(job, /** @type {GuestEventKind} */ (kind), head, body);
    this.#ended += 1;
    if (this.#ended < jobs.length && mayGoOn()) return GO_ON;
    this.#over = true;
    return undefined;
  }

  get disposed() {
    return this.#disposed;
  }

  /**
   * Starts a request. `ms`: most milliseconds that this turn may run.
   * @param {number} job
   * @param {string} head
   * @param {string} body
   * @param {number} ms
   * @returns {TurnEnd}
   */
  start(job, head, body, ms) {
    let place;
    try {
      place = this.#open();
    } catch (error) {
      if (this.#engine?.isDisposed()) return this.#lostMemory(undefined);
      return { fault: 'load', message: textOf(error) };
    }
    return this.#turn(place, job, ms, ['start', job, head, body, nextSeed(), nextSeed()]);
  }

  /**
   * Starts requests of a synchronous module in one entry. `ms`: most milliseconds for all of them. Returns how many have run;
   * the fault, if there was one, is of the last of these.
   * @param {Batch} batch
   * @param {number} ms
   * @returns {{ done: number, end: TurnEnd }}
   */
  startAll(batch, ms) {
    const { jobs, texts } = batch;
    const list = this.#seeds ? jobs.map((entry) => [...entry, nextSeed(), nextSeed()]) : jobs;
    const limit = Math.max(1, Math.ceil(ms));
    const began = Date.now();
    const place = {
      engine: /** @type {Engine} */ (this.#engine),
      room: /** @type {Room} */ (this.#room),
      logged: false,
    };
    this.#batch = batch;
    this.#ended = 0;
    this.#over = false;
    try {
      place.room.enter(limit, ['start-all', JSON.stringify(list), texts]);
    } catch (error) {
      const isTimeout = textOf(error) === TIMED_OUT && Date.now() - began >= limit - 2;
      return this.#endBatch({ place, error, limit, isTimeout });
    }
    return this.#endBatch({ place, error: null, limit, isTimeout: false });
  }

  /**
   * @param {{ place: Place, error: unknown, limit: number, isTimeout: boolean }} outcome
   * @returns {{ done: number, end: TurnEnd }}
   */
  #endBatch({ place, error, limit, isTimeout }) {
    const jobs = this.#batch?.jobs ?? [];
    const ended = this.#ended;
    const isOver = this.#over;
    this.#batch = undefined;
    this.#job = 0;
    if (isTimeout || place.engine.isDisposed()) {
      // One that follows an answer may not have begun: it runs again as the first one, which is certain to be the culprit.
      const end = place.engine.isDisposed()
        ? this.#lostMemory(place)
        : this.#timeOut(place, limit, ['stop-all', 0]);
      return { done: Math.max(1, ended), end };
    }
    if (isOver) return { done: ended, end: NO_FAULT };
    // It has begun and has not answered, and nothing of it can run any more.
    this.#job = jobs[ended]?.[0] ?? 0;
    if (error !== null) this.#logRejection(place, error);
    this.#stop(place, ['stop-all', 0]);
    this.#emit(jobs[ended]?.[0] ?? 0, 'silent', '', '');
    return { done: ended + 1, end: NO_FAULT };
  }

  /**
   * After an entry that was stopped.
   * @param {Place} place
   * @param {number} limit
   * @param {[string, number]} stop
   * @returns {TurnEnd}
   */
  #timeOut(place, limit, stop) {
    if (!this.#stop(place, stop)) this.#disposeOf(place);
    return { fault: 'timeout', message: `The turn took more than ${limit} ms` };
  }

  /**
   * Hands over the answer of a host call. Nothing runs for a request that is unknown or has ended.
   * @param {number} job
   * @param {{ call: number, ok: boolean, text: string }} call
   * @param {number} ms
   * @returns {TurnEnd}
   */
  deliver(job, { call, ok, text }, ms) {
    const place = this.#places.get(job);
    return place === undefined ? NO_FAULT : this.#turn(place, job, ms, ['deliver', job, call, ok, text]);
  }

  /** The request is dead: nothing of it may speak any more. @param {number} job */
  forget(job) {
    const place = this.#places.get(job);
    if (place === undefined) return;
    if (!this.#stop(place, ['stop', job])) this.#disposeOf(place);
    this.#close(place, job);
  }

  /** Bytes of heap in use, buffers included. */
  heapBytes() {
    let bytes = this.#engine?.heapBytes() ?? 0;
    for (const { engine } of this.#places.values()) if (engine !== this.#engine) bytes += engine.heapBytes();
    return bytes;
  }

  dispose() {
    this.#disposed = true;
    this.#engine?.dispose();
    for (const { engine } of this.#places.values()) engine.dispose();
    this.#places.clear();
  }

  /** @returns {Place} */
  #open() {
    if (this.#options.isolation === 'isolate') {
      const engine = this.#engine ?? this.#createEngine();
      this.#engine = undefined;
      return { engine, room: engine.open(), logged: false };
    }
    const engine = /** @type {Engine} */ (this.#engine);
    return { engine, room: this.#room ?? engine.open(), logged: false };
  }

  /**
   * @param {Place} place
   * @param {number} job
   * @param {number} ms
   * @param {(string | number | boolean)[]} args
   * @returns {TurnEnd}
   */
  #turn(place, job, ms, args) {
    const limit = Math.max(1, Math.ceil(ms));
    // The cheapest clock: it only tells a stopped turn from a rejection that pretends to be one.
    const began = Date.now();
    this.#job = job;
    this.#over = false;
    try {
      place.room.enter(limit, args);
    } catch (error) {
      if (place.engine.isDisposed()) return this.#lostMemory(place, job);
      if (textOf(error) === TIMED_OUT && Date.now() - began >= limit - 2) {
        const end = this.#timeOut(place, limit, ['stop', job]);
        this.#close(place, job);
        return end;
      }
      this.#logRejection(place, error);
    }
    if (this.#over || !this.#waits(place, job)) this.#close(place, job);
    else this.#places.set(job, place);
    return NO_FAULT;
  }

  /** Whether the request waits for a host call; where it does not, it never answers. @param {Place} place @param {number} job */
  #waits(place, job) {
    try {
      if (Number(place.room.enter(QUESTION_MS, ['pending', job])) > 0) return true;
    } catch (error) {
      this.#logRejection(place, error);
    }
    this.#emit(job, 'silent', '', '');
    return false;
  }

  /**
   * After a stopped turn: what it left in the queue of microtasks would run in the next call. It runs now, in a call with a
   * small limit, its request being dead.
   * @param {Place} place
   * @param {[string, number]} stop
   */
  #stop(place, stop) {
    if (place.engine.isDisposed()) return true;
    this.#job = 0;
    try {
      place.room.enter(CLEAN_UP_MS, stop);
      return true;
    } catch (error) {
      return textOf(error) !== TIMED_OUT && !place.engine.isDisposed();
    }
  }

  /** @param {Place} place @param {number} job */
  #close(place, job) {
    this.#places.delete(job);
    if (place.engine !== this.#engine) place.engine.dispose();
    else if (place.room !== this.#room) place.room.release();
  }

  /** @param {Place} place */
  #disposeOf(place) {
    place.engine.dispose();
    if (place.engine === this.#engine) this.dispose();
  }

  /** V8 gave the isolate up at its memory limit. @param {Place | undefined} place @param {number} [job] @returns {TurnEnd} */
  #lostMemory(place, job = 0) {
    if (place === undefined || place.engine === this.#engine) this.dispose();
    this.#places.delete(job);
    return { fault: 'memory', message: `The module needed more than ${this.#options.heapMb} MB of memory` };
  }

  /** A promise that nobody waits for was rejected: that ends nothing. Told once. @param {Place} place @param {unknown} error */
  #logRejection(place, error) {
    if (place.logged || this.#options.logBytes < 2 * OWN_LOG_BYTES || this.#options.logLines < 2) return;
    place.logged = true;
    const message = JSON.stringify(`Unhandled rejection: ${textOf(error)}`);
    this.#emit(this.#job, 'log', `{"level":"error","message":${message}}`, '');
  }
}

/** A guest may throw a message of any size. @param {unknown} error */
function textOf(error) {
  return error instanceof Error ? String(error.message).slice(0, MESSAGE_CHARACTERS) : '';
}

/**
 * @param {CreateEngine} createEngine
 * @param {GuestOptions} options
 * @param {Emit} emit
 */
export const createGuestWith = (createEngine, options, emit) => new Guest(createEngine, options, emit);
