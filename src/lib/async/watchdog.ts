// An interval timer for whatever has to be looked at while something is under way.

/** A tick that comes later by this factor means that this process was busy: what others sent meanwhile is not read yet. */
const LATE_FACTOR = 4;

interface WatchdogOptions {
  readonly intervalMs: number;
  /** Milliseconds of a steady clock. */
  readonly now: () => number;
  /** Asked after each tick: false stops the ticks until the next `start`. */
  readonly isNeeded: () => boolean;
  readonly onTick: (now: number) => void;
}

interface Watchdog {
  /** Does nothing while it is running. */
  start(): void;
  stop(): void;
}

/**
 * Creates a timer that ticks only while it is needed, and keeps no process alive. A late tick is left out once, as it would
 * blame others for a delay of this process.
 */
export function createWatchdog({ intervalMs, now, isNeeded, onTick }: WatchdogOptions): Watchdog {
  let timer: NodeJS.Timeout | undefined;
  let lastTick = 0;
  let wasLate = false;

  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  const tick = () => {
    const time = now();
    wasLate = !wasLate && time - lastTick > intervalMs * LATE_FACTOR;
    lastTick = time;
    if (wasLate) return;
    onTick(time);
    if (!isNeeded()) stop();
  };
  return {
    start() {
      if (timer !== undefined) return;
      lastTick = now();
      timer = setInterval(tick, intervalMs).unref();
    },
    stop,
  };
}
