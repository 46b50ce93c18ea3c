// A delay that can be aborted.
import { setTimeout } from 'node:timers/promises';

/** Resolves after so many milliseconds, or as soon as the signal is aborted. */
export type Pause = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** Waits for real time. It does not keep the process alive. */
export const pause: Pause = async (milliseconds, signal) => {
  try {
    await setTimeout(milliseconds, undefined, { signal, ref: false });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};
