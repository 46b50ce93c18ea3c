// Keeps a flood of equal events from becoming a flood of log lines.

interface LogThrottleOptions {
  /** Milliseconds for which a key that was logged is silent. */
  readonly everyMs: number;
  /** Milliseconds; only differences count. */
  readonly now: () => number;
}

/** What the line should say; undefined when there is to be none. */
export type LogThrottle = (key: string) => { readonly suppressed: number } | undefined;

interface Entry {
  readonly until: number;
  suppressed: number;
}

/**
 * Lets one line of each key through every `everyMs` milliseconds, with the number of those that were left out before it.
 * `keys` are a fixed set: they are never forgotten.
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
