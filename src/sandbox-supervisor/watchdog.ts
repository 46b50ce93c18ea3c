// A look at everything, again and again, as long as there is something to look at.

interface WatchdogOptions {
  readonly everyMs: number;
  readonly now: () => number;
  /** Asked after each look: false ends them until the next `start`. */
  readonly isNeeded: () => boolean;
  readonly sweep: (now: number) => void;
}

export interface Watchdog {
  /** Does nothing while it is under way. */
  start(): void;
  stop(): void;
}

/** So much later than expected, and this process was busy: what others sent meanwhile has not been read yet. */
const LATE_FACTOR = 4;

/** Keeps no process alive. A look that comes late is left out once, as it would blame others for our own delay. */
export function createWatchdog({ everyMs, now, isNeeded, sweep }: WatchdogOptions): Watchdog {
  let timer: NodeJS.Timeout | undefined;
  let last = 0;
  let wasLate = false;

  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  const look = () => {
    const time = now();
    wasLate = !wasLate && time - last > everyMs * LATE_FACTOR;
    last = time;
    if (wasLate) return;
    sweep(time);
    if (!isNeeded()) stop();
  };
  return {
    start() {
      if (timer !== undefined) return;
      last = now();
      timer = setInterval(look, everyMs).unref();
    },
    stop,
  };
}
