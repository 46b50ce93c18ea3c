// One entry into an isolate that requests of a synchronous module share. They run one after the other: each has ended before the
// next one begins, so that what is heard of them tells which one runs.

/** @import { Emit } from './guest.js' */
/** @import { GuestEventKind } from './protocol.ts' */

/**
 * @typedef {object} Batch Requests of a synchronous module.
 * @property {readonly (readonly [number: number, headCharacters: number, bodyCharacters: number])[]} requests
 * @property {string} texts Head, body, head, body, …
 * @property {() => boolean} mayGoOn Asked after each answer: whether the next one may begin.
 */

/** Events that end a request. */
export const OVER = new Set(['end', 'result', 'next', 'error']);
/** What the guest code is told after an answer: to go on with the next request. */
const GO_ON = 1;

export class SharedEntry {
  #batch;
  #emit;
  #ended = 0;
  /** Whether the one that has not ended has logged something: then it has begun. */
  #hasLogged = false;
  #isOver = false;

  /**
   * @param {Batch} batch
   * @param {Emit} emit
   */
  constructor(batch, emit) {
    this.#batch = batch;
    this.#emit = emit;
  }

  /** How many requests have ended. */
  get ended() {
    return this.#ended;
  }

  /** Whether no further request may begin. */
  get isOver() {
    return this.#isOver;
  }

  /**
   * How many requests count as run when the entry was stopped. One that follows an answer may not have begun, unless it has
   * logged: it runs again as the first one of an entry, which is certain to be the culprit.
   */
  get stoppedAt() {
    return Math.max(1, this.#hasLogged ? this.#ended + 1 : this.#ended);
  }

  /** Number of the request that is the next to end; 0 when all have ended. */
  get current() {
    return this.#batch.requests[this.#ended]?.[0] ?? 0;
  }

  /**
   * Takes an event of guest code: an end of the current request, or a log line of that one or the one before.
   * @param {number} number
   * @param {string} kind
   * @param {string} head
   * @param {string} body
   * @returns {number | undefined}
   */
  event(number, kind, head, body) {
    const { requests, mayGoOn } = this.#batch;
    const isCurrent = !this.#isOver && this.current === number;
    if (!OVER.has(kind)) {
      const isLast = this.#ended > 0 && requests[this.#ended - 1]?.[0] === number;
      if (kind !== 'log' || !(isCurrent || isLast)) return undefined;
      if (isCurrent) this.#hasLogged = true;
      this.#emit(number, kind, head, body);
      return undefined;
    }
    if (!isCurrent) return undefined;
    this.#emit(number, /** @type {GuestEventKind} */ (kind), head, body);
    this.#ended += 1;
    this.#hasLogged = false;
    // First, as the stack may end in the next call.
    this.#isOver = true;
    if (this.#ended === requests.length || !mayGoOn()) return undefined;
    this.#isOver = false;
    return GO_ON;
  }
}
