// Throttles audit entries of events that may happen a thousand times a second: the first of a kind is written at once, the
// others are counted and written as one entry a minute, so that none is lost and none crowds out others.
import type { AuditAction } from '../auth/audit/audit-entry.ts';

/** Entries of one kind are written this far apart. */
const INTERVAL_MS = 60_000;
/** First entries of their kind within the interval; further ones are only counted. */
const MAX_FIRST_ENTRIES = 60;

interface AuditThrottleDeps {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly write: (entry: AuditAction) => void;
}

export interface AuditThrottle {
  /** Counts an entry: those with the same action, target and hashes are of one kind. */
  add(entry: AuditAction): void;
  /** Writes what is only counted so far. */
  flush(): void;
}

interface Counted {
  readonly entry: AuditAction;
  readonly since: number;
  /** Its first entry is written. */
  readonly isWritten: boolean;
  count: number;
}

const withCount = ({ entry, since, isWritten, count }: Counted): AuditAction => ({
  ...entry,
  target: `${entry.target} (${count} ${isWritten ? 'more ' : ''}since ${new Date(since).toISOString()})`,
});

/** Creates the throttle. What is added is written within a minute. */
export function createAuditThrottle({ now, write }: AuditThrottleDeps): AuditThrottle {
  const kinds = new Map<string, Counted>();
  let since = 0;
  let first = 0;
  let timer: NodeJS.Timeout | undefined;

  const writeDue = (isDue: (counted: Counted) => boolean) => {
    for (const [key, counted] of kinds) {
      if (!isDue(counted)) continue;
      kinds.delete(key);
      if (counted.count > 0) write(withCount(counted));
    }
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    writeDue(() => true);
  };

  return {
    flush,
    add(entry) {
      const at = now();
      if (at - since >= INTERVAL_MS) {
        since = at;
        first = 0;
      }
      writeDue((counted) => at - counted.since >= INTERVAL_MS);
      const key = [entry.action, entry.target, entry.before].join(' ');
      const known = kinds.get(key);
      if (known === undefined) {
        const isWritten = first < MAX_FIRST_ENTRIES;
        if (isWritten) write(entry);
        first += 1;
        kinds.set(key, { entry, since: at, isWritten, count: isWritten ? 0 : 1 });
      } else known.count += 1;
      timer ??= setTimeout(flush, INTERVAL_MS).unref();
    },
  };
}
