// What guest code sends out of its isolates: held against whose time slice it is, then passed on; and what it asks of this process.

import { BridgeTime } from './bridge-time.js';
import { cpu } from './cpu.js';
import { answer } from './host-bridge.js';
import { OVER } from './shared-entry.js';

/** @import { Emit } from './guest.js' */
/** @import { Bridge } from './isolate.js' */
/** @import { GuestEventKind } from './protocol.ts' */
/** @import { SharedEntry } from './shared-entry.js' */

const EVENTS = new Set(['end', 'result', 'next', 'error', 'call', 'log']);
/** Characters of all guest calls of one time slice: they go to the server in one frame, with the answer and the log. */
const CALL_CHARACTERS = 2_097_152;
/** What guest code is told of a call past that. */
const CALLS_TOO_LARGE = 0;

export class GuestBridge {
  #emit;
  #time = new BridgeTime(cpu);
  /** Whose time slice it is, and whether that request has ended. */
  #number = 0;
  #over = false;
  #callCharacters = 0;
  /** The current entry, if requests share it. @type {SharedEntry | undefined} */
  #entry;

  /** @param {Emit} emit */
  constructor(emit) {
    this.#emit = emit;
  }

  /** Whether the request whose time slice it is has ended. */
  get over() {
    return this.#over;
  }

  /** A time slice begins. `number`: 0 for one in which nobody may speak. @param {number} number */
  beginSlice(number) {
    this.#number = number;
    this.#over = false;
    this.#callCharacters = 0;
  }

  /** An entry that requests share begins, or ends. @param {SharedEntry | undefined} entry */
  share(entry) {
    this.#entry = entry;
    this.#number = 0;
  }

  /** A call with this time limit begins, in milliseconds. @param {number} limit */
  beginCall(limit) {
    this.#time.begin(limit);
  }

  /** Called by guest code. @type {Bridge} */
  receive = (number, kind, head, body) => {
    if (!EVENTS.has(kind)) {
      return this.#time.run(() => answer(kind, head, body));
    }
    if (this.#entry !== undefined) return this.#receiveShared(this.#entry, number, kind, head, body);
    // Only the request whose time slice it is may speak, and only until it has ended (its log aside).
    if (number !== this.#number || (this.#over && kind !== 'log')) return undefined;
    if (kind === 'call') {
      if (this.#callCharacters + body.length > CALL_CHARACTERS) return CALLS_TOO_LARGE;
      this.#callCharacters += body.length;
    }
    this.#emit(number, /** @type {GuestEventKind} */ (kind), head, body);
    // Only now: an answer for which the stack had no room was none.
    if (OVER.has(kind)) this.#over = true;
    return undefined;
  };

  /** @param {SharedEntry} entry @param {Parameters<Bridge>} event */
  #receiveShared(entry, ...event) {
    const next = entry.event(...event);
    // The next request has all of its time for helpers.
    if (next !== undefined) this.#time.restart();
    return next;
  }
}
