// One line in the log when a process is cut off from the others and stops what it cannot confirm, and one when it goes on.
import type { Log } from '../lib/logger.ts';

export class CutOffLog {
  readonly #log: Pick<Log, 'warn' | 'info'>;
  readonly #limitMs: number;
  #isCutOff = false;

  /** `limitMs`: after how long a process stops. */
  constructor(log: Pick<Log, 'warn' | 'info'>, limitMs: number) {
    this.#log = log;
    this.#limitMs = limitMs;
  }

  set(isCutOff: boolean): void {
    if (this.#isCutOff === isCutOff) return;
    this.#isCutOff = isCutOff;
    const what = 'endpoints, hooks and writes are';
    if (!isCutOff) this.#log.info({}, `the database answers again: ${what} resumed`);
    else {
      const seconds = this.#limitMs / 1000;
      this.#log.warn({}, `cut off from the database for ${seconds} s: ${what} suspended until it answers`);
    }
  }
}
