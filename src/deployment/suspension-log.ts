// One line in the log when a process that is cut off from the others suspends what it cannot confirm, and one when it goes on.
import type { Log } from '../lib/logger.ts';

export class SuspensionLog {
  readonly #log: Pick<Log, 'warn' | 'info'>;
  readonly #limitMs: number;
  #isSuspended = false;

  /** `limitMs`: after how long a process suspends. */
  constructor(log: Pick<Log, 'warn' | 'info'>, limitMs: number) {
    this.#log = log;
    this.#limitMs = limitMs;
  }

  set(isSuspended: boolean): void {
    if (this.#isSuspended === isSuspended) return;
    this.#isSuspended = isSuspended;
    const what = 'endpoints, hooks and writes are';
    if (!isSuspended) this.#log.info({}, `the database answers again: ${what} resumed`);
    else {
      const seconds = this.#limitMs / 1000;
      this.#log.warn({}, `cut off from the database for ${seconds} s: ${what} suspended until it answers`);
    }
  }
}
