// What reads must see, whichever server answers them. A server that was just elected has every write that the majority
// has, but does not know at once that the majority has it, and would leave out the last ones:
// https://www.mongodb.com/docs/manual/core/causal-consistency-read-write-concerns/
import type { ClientSession, Document, Timestamp } from 'mongodb';

/** The latest write that this process was told will last. Servers without a replica set tell no time. */
export interface Clock {
  /** Takes the session of a write that was acknowledged. */
  wrote(session: ClientSession): void;
  /** Lets the session see what was acknowledged so far. */
  advance(session: ClientSession): void;
  /** For a read without a session: what the majority has, and nothing older than what was acknowledged. */
  readConcern(): Document;
}

/** One for each client, as times of one deployment mean nothing to another. */
export function createClock(): Clock {
  let latest: Timestamp | undefined;
  return {
    wrote({ operationTime }) {
      if (operationTime !== undefined && !latest?.gte(operationTime)) latest = operationTime;
    },
    advance(session) {
      if (latest !== undefined) session.advanceOperationTime(latest);
    },
    readConcern: () => ({ level: 'majority', ...(latest !== undefined && { afterClusterTime: latest }) }),
  };
}
