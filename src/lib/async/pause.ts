// Waiting that can be cut short.
import { setTimeout } from 'node:timers/promises';

/** Resolves after so many milliseconds, or as soon as the signal is aborted. */
export type Pause = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** Waits on the clock, and keeps no process alive that has nothing else to do. */
export const pause: Pause = async (milliseconds, signal) => {
  try {
    await setTimeout(milliseconds, undefined, { signal, ref: false });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};
