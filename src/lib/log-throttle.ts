// Limits how often the same event is logged.

interface LogThrottleOptions {
  /** Milliseconds for which a key is suppressed after it was logged. */
  readonly everyMs: number;
  /** Milliseconds; only differences count. */
  readonly now: () => number;
}

/** Fields to log; undefined if the line is suppressed. */
export type LogThrottle = (key: string) => { readonly suppressed: number } | undefined;

interface Entry {
  readonly until: number;
  suppressed: number;
}

/**
 * Lets one line of each key through every `everyMs` milliseconds, with the number of lines suppressed before it. Use a fixed
 * set of keys: they are never removed.
 */
export function createLogThrottle({ everyMs, now }: LogThrottleOptions): LogThrottle {
  const entries = new Map<string, Entry>();
  return (key) => {
    const at = now();
    const last = entries.get(key);
    if (last !== undefined && at < last.until) {
      last.suppressed += 1;
      return undefined;
    }
    entries.set(key, { until: at + everyMs, suppressed: 0 });
    return { suppressed: last?.suppressed ?? 0 };
  };
}
