// What admins see of the server besides its process: the database, caches, queues and limits. Types only: the composition root
// builds it. It names no path, no address and no secret.

/** How often something was in a cache, since the start. */
interface CacheLookups {
  readonly hits: number;
  readonly misses: number;
}

export interface ServerReport {
  readonly store: {
    readonly engine: string;
    /** It has answered a question of this moment. */
    readonly isReachable: boolean;
    /** Milliseconds until that answer; null without one. */
    readonly pingMs: number | null;
    /** Bytes that the database takes; null where it does not tell in time. */
    readonly bytes: number | null;
  };
  readonly queues: {
    /** Calls of endpoints and hooks. */
    readonly calls: { readonly waiting: number; readonly running: number };
    /** Writes to the database; null where none waits in this process. */
    readonly commits: { readonly waiting: number; readonly maxWaiting: number } | null;
    readonly renderings: {
      readonly waiting: number;
      readonly maxWaiting: number;
      readonly running: number;
      readonly maxRunning: number;
    };
  };
  readonly caches: {
    /** `engine`: null where responses are not cached. `lookups`: null where nothing is counted. */
    readonly responses: {
      readonly engine: string | null;
      readonly isReachable: boolean;
      readonly lookups: CacheLookups | null;
    };
    readonly renderedImages: { readonly lookups: CacheLookups | null };
  };
  /** Of this process. */
  readonly uploads: {
    readonly running: number;
    readonly maxRunning: number;
    readonly bytes: number;
    readonly maxBytes: number;
  };
  /** Parts of answers that clients have not read yet. */
  readonly unsentBytes: { readonly used: number; readonly max: number };
  readonly audit: {
    /** The number of the newest entry, which is that of all entries; null where the database does not tell in time. */
    readonly entries: number | null;
    /** Epoch milliseconds. */
    readonly newestAt: number | null;
    /** Entries about failed changes that could not be written yet. */
    readonly unwritten: number;
  };
}
