// What the hooks of one request write themselves, through `Model`: states of documents that the request, which was computed before,
// must not take for those of others.

/** Hooks of writes that hooks make report to the hooks above them too. */
export class HookWrites {
  readonly #above: HookWrites | undefined;
  /** The `v` of every state that was written, by `documentKey`. */
  readonly #states = new Map<string, Set<number>>();
  readonly #removed = new Set<string>();

  /** `above`: the hooks of the write that called the hook by which this request is made. */
  constructor(above?: HookWrites) {
    this.#above = above;
  }

  addState(key: string, v: number): void {
    const states = this.#states.get(key) ?? new Set();
    this.#states.set(key, states.add(v));
    this.#above?.addState(key, v);
  }

  addRemoval(key: string): void {
    this.#removed.add(key);
    this.#above?.addRemoval(key);
  }

  hasWritten(key: string): boolean {
    return this.#states.has(key) || this.#removed.has(key);
  }

  hasRemoved(key: string): boolean {
    return this.#removed.has(key);
  }

  /** True if nobody else made any of the states after `from`, up to `to`. */
  madeAllAfter(key: string, from: number, to: number): boolean {
    const states = this.#states.get(key);
    if (to < from) return false;
    for (let v = from + 1; v <= to; v += 1) {
      if (states?.has(v) !== true) return false;
    }
    return true;
  }
}
