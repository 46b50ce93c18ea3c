// One version of a module, running requests, one time slice after the other, in one of three ways:
// - realm: all of them in one context that is frozen through and through; the module is evaluated anew for each;
// - context: each in a context of its own; - isolate: each in an isolate of its own.
import { GuestBridge } from './guest-bridge.js';
import { isSynchronous, usesOf } from './guest-bundle.js';
import { nextSeed } from './random-seeds.js';
import { SharedEntry } from './shared-entry.js';
import { isOwnRejection, isTimeoutError, messageOf } from './slice-errors.js';

/** @import { CreateEngine, Engine, GuestContext } from './isolate.js' */
/** @import { Batch } from './shared-entry.js' */
/** @import { GuestEventKind, LoadOptions, SliceError } from './protocol.ts' */

/**
 * @typedef {{ error: null } | { error: SliceError, message: string }} SliceEnd
 * @typedef {(number: number, kind: GuestEventKind, head: string, body: string) => void} Emit
 * @typedef {LoadOptions & { name: string, source: string }} GuestOptions
 * @typedef {{ engine: Engine, context: GuestContext }} Place Where a request runs.
 * @typedef {{ ended: 'returned', value?: unknown } | { ended: 'timeout' | 'memory' | 'broken' }} CallEnd How a call into an isolate ended.
 */

/**
 * Milliseconds for what a stopped time slice left behind. Two would do on an idle machine; on a busy one the kernel may take longer
 * to come back to us, and those who wait in the same isolate would pay for it.
 */
const CLEAN_UP_MS = 50;
/** Milliseconds for a call in which our own code runs and nothing else: only a machine that stands still takes longer. */
const OWN_CODE_MS = 1_000;

/** A longer body is not joined with its head: each join would be a copy of it, here and in the isolate. */
const JOINED_CHARACTERS = 65_536;

/** @type {{ error: null }} */
const NO_ERROR = { error: null };
/** @type {CallEnd} */
const RETURNED = { ended: 'returned' };

class Guest {
  #createEngine;
  #options;
  #emit;
  #needsSeeds;
  /** Its requests are over when their handler has returned: many of them can share one entry. */
  synchronous;
  /** What all requests share: nothing, the isolate, or the isolate and its context. @type {Engine | undefined} */
  #engine;
  /** @type {GuestContext | undefined} */
  #context;
  /** Requests that have started and not ended. @type {Map<number, Place>} */
  #places = new Map();
  #bridge;
  #disposed = false;

  /**
   * @param {CreateEngine} createEngine @param {GuestOptions} options @param {Emit} emit
   */
  constructor(createEngine, options, emit) {
    this.#options = options;
    this.#emit = emit;
    this.#bridge = new GuestBridge(emit);
    this.synchronous = isSynchronous(options);
    this.#needsSeeds = usesOf(options.source).math;
    this.#createEngine = () => createEngine(options, this.#bridge.receive);
    // Also in the mode that will not use it, so that code that does not compile is refused here.
    this.#engine = this.#createEngine();
    if (options.isolation === 'realm') this.#context = this.#engine.open();
  }

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
      if (this.#engine?.isDisposed()) return this.#lostMemory(undefined, number);
      return { error: 'load', message: messageOf(error) };
    }
    const list = this.#listText([[number, head.length, body.length]]);
    if (body.length <= JOINED_CHARACTERS)
      return this.#runSlice(place, number, ms, ['start', list], head + body);
    return this.#runSlice(place, number, ms, ['start', list, body], head);
  }

  /**
   * Starts requests of a synchronous module in one entry. `ms`: most milliseconds for all of them. Returns how many have run, the
   * error, if there was one, and whose it is: 0 where that is uncertain.
   * @param {Batch} batch
   * @param {number} ms
   * @returns {{ done: number, end: SliceEnd, of: number }}
   */
  startAll(batch, ms) {
    const place = {
      engine: /** @type {Engine} */ (this.#engine),
      context: /** @type {GuestContext} */ (this.#context),
    };
    const entry = new SharedEntry(batch, this.#emit);
    this.#bridge.share(entry);
    const end = this.#call(place, ms, ['start', this.#listText(batch.requests)], batch.texts);
    this.#bridge.share(undefined);
    if (end.ended !== 'returned') return this.#endStopped(entry, place, end.ended, ms);
    if (entry.isOver || Number(end.value) <= entry.ended) return { done: entry.ended, end: NO_ERROR, of: 0 };
    // It has begun and has not answered, and nothing of it can run any more.
    entry.passLog();
    this.#emit(entry.current, 'silent', '', '');
    return { done: entry.ended + 1, end: NO_ERROR, of: 0 };
  }

  /**
   * @param {SharedEntry} entry @param {Place} place @param {'timeout' | 'memory' | 'broken'} ended @param {number} ms
   * @returns {{ done: number, end: SliceEnd, of: number }}
   */
  #endStopped(entry, place, ended, ms) {
    const of = entry.stopped;
    const end = this.#endOf(place, ended, ms, ['stop-all', 0]);
    // All that have not ended run again, and the first of them certainly is the one whose time it is.
    if (of === undefined) return { done: entry.ended, end: NO_ERROR, of: 0 };
    return { done: Math.max(1, entry.ended), end, of };
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
    this.#stop(place, ['stop', number], OWN_CODE_MS);
    this.#close(place, number);
  }

  /** Memory of the heaps, buffers included, in bytes. `held`: with what is not in use. */
  memory() {
    const engines = new Set([...this.#places.values()].map(({ engine }) => engine));
    if (this.#engine !== undefined) engines.add(this.#engine);
    const memory = { used: 0, held: 0 };
    for (const engine of engines) {
      const { used, held } = engine.memory();
      memory.used += used;
      memory.held += held;
    }
    return memory;
  }

  dispose() {
    this.#disposed = true;
    this.#engine?.dispose();
    for (const { engine } of this.#places.values()) engine.dispose();
    this.#places.clear();
  }

  /** @param {readonly (readonly [number, number, number])[]} requests */
  #listText(requests) {
    const list = this.#needsSeeds ? requests.map((entry) => [...entry, nextSeed(), nextSeed()]) : requests;
    return JSON.stringify(list);
  }

  /** @returns {Place} */
  #open() {
    if (this.#options.isolation === 'isolate') {
      const engine = this.#engine ?? this.#createEngine();
      this.#engine = undefined;
      return { engine, context: engine.open() };
    }
    const engine = /** @type {Engine} */ (this.#engine);
    return { engine, context: this.#context ?? engine.open() };
  }

  /**
   * One call into an isolate.
   * @param {Place} place @param {number} ms @param {(string | number | boolean)[]} args @param {string} [text]
   * @returns {CallEnd}
   */
  #call({ engine, context }, ms, args, text) {
    const limit = Math.max(1, Math.ceil(ms));
    this.#bridge.beginCall(limit);
    try {
      const value = context.enter(limit, args, text);
      return value === undefined ? RETURNED : { ended: 'returned', value };
    } catch (error) {
      if (isOwnRejection(error)) return RETURNED;
      if (engine.isDisposed()) return { ended: 'memory' };
      return { ended: isTimeoutError(error) ? 'timeout' : 'broken' };
    }
  }

  /**
   * @param {Place} place @param {number} number @param {number} ms @param {(string | number | boolean)[]} args @param {string} text
   * @returns {SliceEnd}
   */
  #runSlice(place, number, ms, args, text) {
    this.#bridge.beginSlice(number);
    const { ended } = this.#call(place, ms, args, text);
    if (ended !== 'returned') {
      const end = this.#endOf(place, ended, ms, ['stop', number], number);
      this.#close(place, number);
      return end;
    }
    if (this.#bridge.over) this.#close(place, number);
    else if (this.#waits(place, number)) this.#places.set(number, place);
    else {
      this.#emit(number, 'silent', '', '');
      this.#close(place, number);
    }
    return NO_ERROR;
  }

  /** Whether the request waits for a guest call; where it does not, it never answers. @param {Place} place @param {number} number */
  #waits(place, number) {
    const end = this.#call(place, OWN_CODE_MS, ['pending', number]);
    if (end.ended !== 'returned') this.#disposeOf(place);
    return end.ended === 'returned' && Number(end.value) > 0;
  }

  /**
   * After a call that did not return.
   * @param {Place} place @param {'timeout' | 'memory' | 'broken'} ended @param {number} ms @param {[string, number]} stop
   * @param {number} [number] The request, where it is certain.
   * @returns {SliceEnd}
   */
  #endOf(place, ended, ms, stop, number) {
    if (ended === 'memory') return this.#lostMemory(place, number);
    if (ended === 'broken') {
      this.#disposeOf(place);
      return { error: 'load', message: 'The isolate failed' };
    }
    this.#stop(place, stop, CLEAN_UP_MS);
    return { error: 'timeout', message: `The time slice took more than ${Math.max(1, Math.ceil(ms))} ms` };
  }

  /**
   * Ends a request whose time slice was stopped, or that waits. What a stopped time slice left in the queue of microtasks would run
   * in the next call: it runs now, in a call with a small limit, its request being dead. Where that does not end, the isolate does.
   * @param {Place} place
   * @param {[string, number]} stop
   * @param {number} ms
   */
  #stop(place, stop, ms) {
    this.#bridge.beginSlice(0);
    if (place.engine.isDisposed()) return;
    if (this.#call(place, ms, stop).ended !== 'returned') this.#disposeOf(place);
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

  /**
   * V8 gave the isolate up at its memory limit. Where other requests wait in it too, nobody can tell which of them needs the memory:
   * then this is nobody's error.
   * @param {Place | undefined} place @param {number} [number] @returns {SliceEnd}
   */
  #lostMemory(place, number = 0) {
    const isShared = place === undefined || place.engine === this.#engine;
    const isAlone = !isShared || [...this.#places.keys()].every((other) => other === number);
    if (isShared) this.dispose();
    this.#places.delete(number);
    if (!isAlone) return NO_ERROR;
    return { error: 'memory', message: `The module needed more than ${this.#options.heapMb} MB of memory` };
  }
}

/**
 * @param {CreateEngine} createEngine
 * @param {GuestOptions} options
 * @param {Emit} emit
 */
export const createGuestWith = (createEngine, options, emit) => new Guest(createEngine, options, emit);
