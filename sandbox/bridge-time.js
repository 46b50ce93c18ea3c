// Bounds the time of the helpers that guest code asks of this process. The clock of isolated-vm stands still meanwhile: without this
// bound a loop of such calls would outlast every time limit.

/** Helpers may take this part of the time limit of a call, and at most so many milliseconds. */
const PART = 0.25;
const MAX_MS = 200;

export class BridgeTime {
  #cpu;
  #all = 0;
  #left = 0;

  /** @param {() => number} cpu Milliseconds of CPU that this thread has used. */
  constructor(cpu) {
    this.#cpu = cpu;
  }

  /** A call into an isolate begins. @param {number} limit Its time limit, in milliseconds. */
  begin(limit) {
    this.#all = Math.min(MAX_MS, limit * PART);
    this.#left = this.#all;
  }

  /** The call goes on with another request. */
  restart() {
    this.#left = this.#all;
  }

  /**
   * Runs a helper, or answers undefined when there is no time left for it.
   * @template T
   * @param {() => T} helper
   * @returns {T | undefined}
   */
  run(helper) {
    if (this.#left <= 0) return undefined;
    const before = this.#cpu();
    const result = helper();
    this.#left -= this.#cpu() - before;
    return result;
  }
}
