// What the documents ask of hooks: posted code that stands before and behind reads and writes. `src/hooks/` runs it.
import type { Json } from '../lib/json.ts';
import type { Collection } from './collection.ts';
import type { Context } from './documents.ts';
import type { HookEvent } from './hook-events.ts';

export interface HookTask {
  readonly event: HookEvent;
  readonly collection: Collection;
  readonly context: Context;
  /** JSON text of the documents that a write is about. */
  readonly documents?: readonly string[];
  /** Position in a batch. */
  readonly index?: number;
  /** Part of a request that has been let in: a hook that is busy, perhaps with the rest of it, is waited for. */
  readonly patient?: boolean;
  /** Epoch milliseconds from which no further hook of the request begins. */
  readonly until: number;
  /** What is wrong with a result, said so that it can follow the name of the hook; undefined when it will do. */
  fault(result: Json): string | undefined;
}

/** Something that a commit has done to a document of a collection with hooks for it. */
export interface Happening {
  readonly event: 'afterCreate' | 'afterUpdate' | 'afterDelete';
  readonly collection: Collection;
  /** The document as JSON text: as the commit left it, or as it was when it was removed. */
  readonly text: string;
}

export interface DocumentHooks {
  /**
   * Runs the hooks of an event one after the other on `obj`, JSON text, each on what the one before it returned.
   * Resolves with what they made of it, held against `fault`; undefined when all of them returned nothing.
   * Throws HOOK_FAILED when one refuses or fails, ENDPOINT_SUSPENDED when one is missing or does not run,
   * SANDBOX_DISABLED, ENDPOINT_BUSY, ENDPOINT_RATE_LIMITED and ENDPOINT_CRASHED.
   */
  run(task: HookTask, obj: string): Promise<Json | undefined>;
  /** Runs after-hooks behind the answer. What becomes of them is logged and disturbs nobody. */
  runBehind(happenings: readonly Happening[], context: Context): void;
}
