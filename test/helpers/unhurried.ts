// Promises of the kind "within two seconds", held on a machine that may stall.
import { setTimeout as pause } from 'node:timers/promises';

const STEP_MS = 50;

/**
 * Repeats a check until it holds; fails as it did last when it does not within so many milliseconds. They are counted in
 * steps of the event loop between checks, whose own time does not count: while the machine stalls, neither the check nor what it waits for gets anywhere, and that is one
 * step however long it takes.
 */
export async function within(ms: number, check: () => unknown): Promise<void> {
  for (let waited = 0; ; waited += STEP_MS) {
    try {
      await check();
      return;
    } catch (error) {
      if (waited >= ms) throw error;
    }
    await pause(STEP_MS);
  }
}
