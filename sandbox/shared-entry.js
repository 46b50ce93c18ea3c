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
  /** Log lines of the one that has not ended, unless it is the first. @type {Parameters<Emit>[]} */
  #keptLog = [];
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
   * Number of the request that certainly ran when the entry was stopped: the first one, or the last one that could run. Undefined
   * between the two: work that the one before did after its answer cannot be told from that of the next one.
   */
  get stopped() {
    if (this.#ended === 0) return this.current;
    return this.#isOver ? this.#numberAt(this.#ended - 1) : undefined;
  }

  /** Number of the request that is the next to end; 0 when all have ended. */
  get current() {
    return this.#numberAt(this.#ended);
  }

  /** @param {number} index */
  #numberAt(index) {
    return this.#batch.requests[index]?.[0] ?? 0;
  }

  /** Passes on what was kept of the log. */
  passLog() {
    for (const line of this.#keptLog.splice(0)) this.#emit(...line);
  }

  /**
   * Takes an event of guest code: an end of the current request, or a log line of that one or the one before. The log of a request
   * behind another one is passed on when it has ended: until then it may have to run again.
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
      if (kind !== 'log') return undefined;
      if (isCurrent && this.#ended > 0) this.#keptLog.push([number, kind, head, body]);
      else if (isCurrent || (this.#ended > 0 && this.#numberAt(this.#ended - 1) === number)) {
        this.#emit(number, kind, head, body);
      }
      return undefined;
    }
    if (!isCurrent) return undefined;
    this.passLog();
    this.#emit(number, /** @type {GuestEventKind} */ (kind), head, body);
    this.#ended += 1;
    // First, as the stack may end in the next call.
    this.#isOver = true;
    if (this.#ended === requests.length || !mayGoOn()) return undefined;
    this.#isOver = false;
    return GO_ON;
  }
}
