// One version of a module, running requests, one time slice after the other, in one of three ways:
// - realm: all of them in one context that is frozen through and through; the module is evaluated anew for each;
// - context: each in a context of its own; - isolate: each in an isolate of its own.
import { isSynchronous, usesOf } from './guest-bundle.js';
import { answer } from './host-bridge.js';
import { nextSeed } from './random-seeds.js';
import { OVER, SharedEntry } from './shared-entry.js';
import {
  endedByLimit,
  isTimeoutError,
  messageOf,
  rejectionLine,
  withoutReservedLog,
} from './slice-errors.js';

/** @import { Bridge, CreateEngine, Engine, GuestContext } from './isolate.js' */
/** @import { Batch } from './shared-entry.js' */
/** @import { GuestEventKind, LoadOptions, SliceError } from './protocol.ts' */

/**
 * @typedef {{ error: null } | { error: SliceError, message: string }} SliceEnd
 * @typedef {(number: number, kind: GuestEventKind, head: string, body: string) => void} Emit
 * @typedef {LoadOptions & { name: string, source: string }} GuestOptions
 * @typedef {{ engine: Engine, context: GuestContext, logged: boolean }} Place Where a request runs.
 */

/**
 * Milliseconds for what a stopped time slice left behind. Two would do on an idle machine; on a busy one the kernel may take longer
 * to come back to us, and those who wait in the same isolate would pay for it.
 */
const CLEAN_UP_MS = 10;
/** Milliseconds for a question to our own code. */
const QUESTION_MS = 50;

const EVENTS = new Set(['end', 'result', 'next', 'error', 'call', 'log']);

/** @type {{ error: null }} */
const NO_ERROR = { error: null };

class Guest {
  #createEngine;
  #options;
  #emit;
  #seeds;
  /** Its requests are over when their handler has returned: many of them can share one entry. */
  synchronous;
  /** What all requests share: nothing, the isolate, or the isolate and its context. @type {Engine | undefined} */
  #engine;
  /** @type {GuestContext | undefined} */
  #context;
  /** Requests that have started and not ended. @type {Map<number, Place>} */
  #places = new Map();
  /** Whose time slice it is, and whether that request has ended. */
  #number = 0;
  #over = false;
  /** The current entry, if requests share it. @type {SharedEntry | undefined} */
  #entry;
  #disposed = false;

  /**
   * @param {CreateEngine} createEngine @param {GuestOptions} options @param {Emit} emit
   */
  constructor(createEngine, options, emit) {
    this.#options = options;
    this.#emit = emit;
    this.synchronous = isSynchronous(options);
    this.#seeds = usesOf(options.source).math;
    this.#createEngine = () => createEngine(withoutReservedLog(options), this.#bridge);
    // Also in the mode that will not use it, so that code that does not compile is refused here.
    this.#engine = this.#createEngine();
    if (options.isolation === 'realm') this.#context = this.#engine.open();
  }

  /** @type {Bridge} */
  #bridge = (number, kind, head, body) => {
    if (!EVENTS.has(kind)) return answer(kind, head, body);
    if (this.#entry !== undefined) return this.#entry.event(number, kind, head, body);
    // Only the request whose time slice it is may speak, and only until it has ended (its log aside).
    if (number !== this.#number || (this.#over && kind !== 'log')) return undefined;
    this.#emit(number, /** @type {GuestEventKind} */ (kind), head, body);
    // Only now: an answer for which the stack had no room was none.
    if (OVER.has(kind)) this.#over = true;
    return undefined;
  };

  get disposed() {
    return this.#disposed;
  }

  /**
   * Starts a request. `ms`: most milliseconds that this time slice may run.
   * @param {number} number @param {string} head @param {string} body @param {number} ms @returns {SliceEnd}
   */
  start(number, head, body, ms) {
    let place;
    try {
      place = this.#open();
    } catch (error) {
      if (this.#engine?.isDisposed()) return this.#lostMemory(undefined);
      return { error: 'load', message: messageOf(error) };
    }
    return this.#runSlice(place, number, ms, ['start', number, head, nextSeed(), nextSeed()], body);
  }

  /**
   * Starts requests of a synchronous module in one entry. `ms`: most milliseconds for all of them. Returns how many have run;
   * the error, if there was one, is of the last of these.
   * @param {Batch} batch
   * @param {number} ms
   * @returns {{ done: number, end: SliceEnd }}
   */
  startAll(batch, ms) {
    const { requests, texts } = batch;
    const list = this.#seeds ? requests.map((entry) => [...entry, nextSeed(), nextSeed()]) : requests;
    const limit = Math.max(1, Math.ceil(ms));
    const began = Date.now();
    const place = {
      engine: /** @type {Engine} */ (this.#engine),
      context: /** @type {GuestContext} */ (this.#context),
      logged: false,
    };
    const entry = new SharedEntry(batch, this.#emit);
    this.#entry = entry;
    try {
      const begun = Number(place.context.enter(limit, ['start-all', JSON.stringify(list)], texts));
      return this.#endEntry(entry, { place, begun, error: null, limit, isTimeout: false });
    } catch (error) {
      const isTimeout = endedByLimit(error, began, limit);
      return this.#endEntry(entry, { place, begun: 1, error, limit, isTimeout });
    }
  }

  /**
   * @param {SharedEntry} entry
   * @param {{ place: Place, begun: number, error: unknown, limit: number, isTimeout: boolean }} outcome `begun`: how many requests.
   * @returns {{ done: number, end: SliceEnd }}
   */
  #endEntry(entry, { place, begun, error, limit, isTimeout }) {
    this.#entry = undefined;
    this.#number = 0;
    if (place.engine.isDisposed()) return { done: entry.stoppedAt, end: this.#lostMemory(place) };
    if (isTimeout) return { done: entry.stoppedAt, end: this.#timeOut(place, limit, ['stop-all', 0]) };
    if (entry.isOver || begun <= entry.ended) return { done: entry.ended, end: NO_ERROR };
    // It has begun and has not answered, and nothing of it can run any more.
    this.#number = entry.current;
    if (error !== null) this.#logRejection(place, error);
    this.#emit(entry.current, 'silent', '', '');
    return { done: entry.ended + 1, end: NO_ERROR };
  }

  /**
   * After an entry that was stopped.
   * @param {Place} place
   * @param {number} limit
   * @param {[string, number]} stop
   * @returns {SliceEnd}
   */
  #timeOut(place, limit, stop) {
    if (!this.#stop(place, stop)) this.#disposeOf(place);
    return { error: 'timeout', message: `The time slice took more than ${limit} ms` };
  }

  /**
   * Hands over the answer of a guest call. Nothing runs for a request that is unknown or has ended.
   * @param {number} number
   * @param {{ call: number, ok: boolean, text: string }} call
   * @param {number} ms
   * @returns {SliceEnd}
   */
  deliver(number, { call, ok, text }, ms) {
    const place = this.#places.get(number);
    return place === undefined
      ? NO_ERROR
      : this.#runSlice(place, number, ms, ['deliver', number, call, ok], text);
  }

  /** The request is dead: nothing of it may speak any more. @param {number} number */
  forget(number) {
    const place = this.#places.get(number);
    if (place === undefined) return;
    if (!this.#stop(place, ['stop', number])) this.#disposeOf(place);
    this.#close(place, number);
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
      return { engine, context: engine.open(), logged: false };
    }
    const engine = /** @type {Engine} */ (this.#engine);
    return { engine, context: this.#context ?? engine.open(), logged: false };
  }

  /**
   * @param {Place} place @param {number} number @param {number} ms
   * @param {(string | number | boolean)[]} args
   * @param {string} text
   * @returns {SliceEnd}
   */
  #runSlice(place, number, ms, args, text) {
    const limit = Math.max(1, Math.ceil(ms));
    // The cheapest clock: it only tells a stopped time slice from a rejection that pretends to be one.
    const began = Date.now();
    this.#number = number;
    this.#over = false;
    try {
      place.context.enter(limit, args, text);
    } catch (error) {
      if (place.engine.isDisposed()) return this.#lostMemory(place, number);
      if (endedByLimit(error, began, limit)) {
        const end = this.#timeOut(place, limit, ['stop', number]);
        this.#close(place, number);
        return end;
      }
      this.#logRejection(place, error);
    }
    if (this.#over || !this.#waits(place, number)) this.#close(place, number);
    else this.#places.set(number, place);
    return NO_ERROR;
  }

  /** Whether the request waits for a guest call; where it does not, it never answers. @param {Place} place @param {number} number */
  #waits(place, number) {
    try {
      if (Number(place.context.enter(QUESTION_MS, ['pending', number])) > 0) return true;
    } catch (error) {
      this.#logRejection(place, error);
    }
    this.#emit(number, 'silent', '', '');
    return false;
  }

  /**
   * After a stopped time slice: what it left in the queue of microtasks would run in the next call. It runs now, in a call with a
   * small limit, its request being dead.
   * @param {Place} place
   * @param {[string, number]} stop
   */
  #stop(place, stop) {
    if (place.engine.isDisposed()) return true;
    this.#number = 0;
    try {
      place.context.enter(CLEAN_UP_MS, stop);
      return true;
    } catch (error) {
      return !isTimeoutError(error) && !place.engine.isDisposed();
    }
  }

  /** @param {Place} place @param {number} number */
  #close(place, number) {
    this.#places.delete(number);
    if (place.engine !== this.#engine) place.engine.dispose();
    else if (place.context !== this.#context) place.context.release();
  }

  /** @param {Place} place */
  #disposeOf(place) {
    place.engine.dispose();
    if (place.engine === this.#engine) this.dispose();
  }

  /** V8 gave the isolate up at its memory limit. @param {Place | undefined} place @param {number} [number] @returns {SliceEnd} */
  #lostMemory(place, number = 0) {
    if (place === undefined || place.engine === this.#engine) this.dispose();
    this.#places.delete(number);
    return { error: 'memory', message: `The module needed more than ${this.#options.heapMb} MB of memory` };
  }

  /** A promise that nobody waits for was rejected: that ends nothing. Told once. @param {Place} place @param {unknown} error */
  #logRejection(place, error) {
    const line = place.logged ? undefined : rejectionLine(this.#options, error);
    if (line === undefined) return;
    place.logged = true;
    this.#emit(this.#number, 'log', line, '');
  }
}

/**
 * @param {CreateEngine} createEngine
 * @param {GuestOptions} options
 * @param {Emit} emit
 */
export const createGuestWith = (createEngine, options, emit) => new Guest(createEngine, options, emit);
